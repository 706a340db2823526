/** Remembered parents over all traces of all organisations, and models below one. */
const bounds = { parents: 20_000, models: 4 } as const;

/** A span of an organisation's trace. */
export interface SpanKey {
  readonly organizationId: string;
  readonly traceId: string;
  readonly spanId: string;
}

/**
 * The spans above calls of models, of the newest traces. A parent comes with its child or after it, so this tells whether a span's call was
 * told by an inner one already.
 */
export class RecentParents {
  private readonly models = new Map<string, string[]>();

  add(parent: SpanKey, model: string): void {
    const key = textOf(parent);
    const known = this.models.get(key) ?? [];
    // The newest is last.
    this.models.delete(key);
    this.models.set(key, known.includes(model) || known.length >= bounds.models ? known : [...known, model]);
    if (this.models.size > bounds.parents) this.models.delete(this.models.keys().next().value ?? '');
  }

  /** The models of calls right below a span. */
  modelsBelow(span: SpanKey): readonly string[] {
    return this.models.get(textOf(span)) ?? [];
  }
}

function textOf({ organizationId, traceId, spanId }: SpanKey): string {
  return `${organizationId} ${traceId} ${spanId}`;
}
