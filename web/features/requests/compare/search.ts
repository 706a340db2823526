/** Which requests are compared. Without a left one it is the one before the right one in its session. */
export interface CompareSearch {
  readonly left?: string | undefined;
  readonly right?: string | undefined;
}

export function compareSearchOf({ left, right }: Readonly<Record<string, unknown>>): CompareSearch {
  return { ...(typeof left === 'string' ? { left } : {}), ...(typeof right === 'string' ? { right } : {}) };
}
