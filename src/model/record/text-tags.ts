/**
 * Tags copied unchanged from a request header (`Svc-` and the name here) into the record's field of the tag's name and the store's column
 * of the header's name: `Svc-Node-Id` is `nodeId`, and `node_id` in the store.
 */
export const textTags = {
  'prompt-version': 'promptVersion',
  'job-id': 'jobId',
  'node-id': 'nodeId',
  'experiment-id': 'experimentId',
} as const satisfies Readonly<Record<string, string>>;

export type TextTagHeader = keyof typeof textTags;
export type TextTagName = (typeof textTags)[TextTagHeader];

/** An empty text is an absent one. */
export type TextTags = Readonly<Record<TextTagName, string>>;

const names = Object.values(textTags);

export function mapTextTags<Value>(valueOf: (name: TextTagName) => Value): Record<TextTagName, Value> {
  const values: Partial<Record<TextTagName, Value>> = {};
  for (const name of names) values[name] = valueOf(name);
  return values as Record<TextTagName, Value>;
}

export function mapTextTagHeaders<Value>(valueOf: (name: TextTagName) => Value): Record<TextTagHeader, Value> {
  return Object.fromEntries(Object.entries(textTags).map(([header, name]) => [header, valueOf(name)])) as Record<TextTagHeader, Value>;
}

export const emptyTextTags: TextTags = mapTextTags(() => '');
