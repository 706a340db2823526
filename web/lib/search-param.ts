/**
 * A text of an address; undefined: there is none. The router reads `?q=404` as a number and `?q=true` as a boolean.
 */
export function textParam(value: unknown): string | undefined {
  const isText = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isText && value !== '' ? String(value) : undefined;
}
