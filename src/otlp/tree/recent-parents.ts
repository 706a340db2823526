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
  private readonly parents = new Map<string, CallsBelow>();

  /** Adding a call again changes nothing: an exporter may send a batch again. */
  add(parent: SpanKey, { spanId, model }: { readonly spanId: string; readonly model: string }): void {
    const key = textOf(parent);
    const known = this.parents.get(key) ?? { firstId: spanId, areSeveral: false, models: [] };
    known.areSeveral ||= spanId !== known.firstId;
    if (known.models.length < bounds.models && !known.models.includes(model)) known.models.push(model);
    // The newest is last.
    this.parents.delete(key);
    this.parents.set(key, known);
    if (this.parents.size > bounds.parents) this.parents.delete(this.parents.keys().next().value ?? '');
  }

  /** The models of calls right below a span. */
  modelsBelow(span: SpanKey): readonly string[] {
    return this.parents.get(textOf(span))?.models ?? [];
  }

  /** True when one call right below a span is known, and no other. */
  hasOneBelow(span: SpanKey): boolean {
    return this.parents.get(textOf(span))?.areSeveral === false;
  }
}

interface CallsBelow {
  readonly firstId: string;
  areSeveral: boolean;
  readonly models: string[];
}

function textOf({ organizationId, traceId, spanId }: SpanKey): string {
  return `${organizationId} ${traceId} ${spanId}`;
}
