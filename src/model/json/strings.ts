const backslash = 0x5c;

/** Index of the quotation mark that ends the JSON string whose content begins at `start`; −1 without one. */
export function endOfJsonString(json: string, start: number): number {
  let end = json.indexOf('"', start);
  while (end !== -1 && isEscaped(json, end, start)) end = json.indexOf('"', end + 1);
  return end;
}

/** Whether an odd number of backslashes precedes `index` in the string whose content begins at `start`. */
export function isEscaped(json: string, index: number, start: number): boolean {
  let first = index;
  while (first > start && json.charCodeAt(first - 1) === backslash) first -= 1;
  return (index - first) % 2 === 1;
}
