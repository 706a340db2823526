/** Pages on plain HTTP, except those of this machine, have no clipboard: the page says so, and the text can be selected. */
export async function copyText(text: string): Promise<boolean> {
  if (!window.isSecureContext) return false;
  await navigator.clipboard.writeText(text);
  return true;
}
