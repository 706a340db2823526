/** Whether every % of a text is followed by two hexadecimal digits, which together are characters. */
export function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
