/** JSON without its line breaks and the blanks beside them. Within strings JSON has no line breaks. */
export function inOneLine(json: string): string {
  return /[\r\n]/.test(json) ? json.replaceAll(/[ \t]*[\r\n][ \t\r\n]*/g, '') : json;
}
