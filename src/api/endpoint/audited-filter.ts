/** Fields of bodies: what a filter compares them with is a person's own words, or a secret that somebody looks for. */
const textFields: ReadonlySet<string> = new Set(['request_body', 'response_body', 'prompt', 'body_completion']);

/**
 * What the audit log keeps of a filter, as JSON: identifiers, names and times, but of a text that is looked for in bodies its length alone.
 * So what was redacted or erased does not live on in it. @returns null: nothing was filtered.
 */
export function auditedFilter(filter: unknown): string | null {
  return JSON.stringify(filter, withoutTexts) ?? null;
}

function withoutTexts(key: string, value: unknown): unknown {
  if (textFields.has(key)) return masked(value);
  return key === 'filter' && typeof value === 'string' ? parsed(value) : value;
}

/** Some endpoints take a filter as text of a parameter. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return masked(text);
  }
}

function masked(value: unknown): unknown {
  if (typeof value === 'string') return `[${value.length} characters]`;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, masked(member)]));
}
