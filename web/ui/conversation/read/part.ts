/** A part of what was said. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  /** Without a text: the provider keeps it to itself, or sent it encrypted. */
  | { readonly kind: 'reasoning'; readonly text: string | undefined }
  | { readonly kind: 'refusal'; readonly text: string }
  | { readonly kind: 'error'; readonly code: string; readonly text: string }
  | ToolCall
  | ToolResult
  /** `source` is a data address: a picture in the body. A picture elsewhere is only a link. */
  | { readonly kind: 'image'; readonly source: string }
  | Audio
  | { readonly kind: 'file'; readonly name: string; readonly type: string; readonly bytes: number }
  | { readonly kind: 'link'; readonly what: 'Picture' | 'Audio' | 'File'; readonly address: string }
  | { readonly kind: 'vector'; readonly dimensions: number; readonly first: readonly number[] }
  | { readonly kind: 'other'; readonly value: unknown };

export interface ToolCall {
  readonly kind: 'tool-call';
  /** Empty where the format has none. */
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface ToolResult {
  readonly kind: 'tool-result';
  /** Of the call; empty where the format has none. */
  readonly id: string;
  /** Of the tool; empty where only the call says it. */
  readonly name: string;
  readonly isError: boolean;
  readonly parts: readonly Part[];
}

export interface Audio {
  readonly kind: 'audio';
  readonly format: string;
  readonly bytes: number;
  /** A data address of a format that browsers play. */
  readonly source: string | undefined;
  readonly transcript: string;
}

/** What one side said at a time. */
export interface Turn {
  readonly role: Role;
  readonly parts: readonly Part[];
}

export type Role = 'system' | 'developer' | 'user' | 'assistant' | 'tool';
