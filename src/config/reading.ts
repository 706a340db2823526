/** The value, or the fault of the text. `problem` continues a sentence that begins with the setting's name. */
export type Reading<T> = { readonly value: T } | { readonly problem: string };
