/** A row as JSONEachRow returns it: dimensions, the pivot, and numbers as text. */
export type AlertRow = Readonly<Record<string, string | number | boolean | null>>;

export function numberOf(text: AlertRow[string] | undefined): number | null {
  if (text === null || text === undefined || text === 'nan') return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}
