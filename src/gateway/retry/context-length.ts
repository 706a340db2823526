/** Wordings of providers for a prompt that exceeds the model's context. */
const patterns = [
  /context_length_exceeded/,
  /\b(?:max(?:imum)?|exceeds?(?: the)?(?: model's)?)[\w\s']{0,20} (?:context|prompt|input|sequence) (?:length|window|size)/i,
  /\b(?:prompt|input|request)(?: text)? is too long\b/i,
  /\btoo (?:long|large) for (?:the |requested )?model\b/i,
  /\bexceeds? the maximum (?:number of )?(?:input )?tokens?\b/i,
  /\binput token count\b[^"]{0,40}\bexceeds\b/i,
  /\breduce the length of the (?:messages|prompt|input)\b/i,
];

/** Bytes read of a refusal. */
export const refusalMaxBytes = 64 * 1024;

export function reportsTooLong(body: Buffer): boolean {
  const text = body.toString('utf8', 0, refusalMaxBytes);
  return patterns.some((pattern) => pattern.test(text));
}
