/** What is wrong with the address of a receiver as it is typed, as a sentence; undefined: nothing, or there is no text. */
export function addressFault(text: string): string | undefined {
  const address = text.trim();
  if (address === '') return undefined;
  if (!URL.canParse(address)) return 'Write a whole address, such as https://example.com/events.';
  return /^https?:$/.test(new URL(address).protocol) ? undefined : 'The address begins with https://.';
}
