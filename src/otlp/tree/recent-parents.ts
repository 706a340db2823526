import { surfaceBounds } from '../../model/record/surface-bounds.ts';
import { ByteBoundedMap } from '../../platform/bounds/byte-bounded-map.ts';

/** Bytes of all remembered parents, some 400 each; and models below one. */
const maxBytes = surfaceBounds.spans.remembered;
const bounds = { maxBytes, maxBytesOfOwner: maxBytes / 2, models: 4 } as const;

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
  private readonly parents = new ByteBoundedMap<CallsBelow>(bounds);

  /** Adding a call again changes nothing: an exporter may send a batch again. */
  add(parent: SpanKey, { spanId, model }: { readonly spanId: string; readonly model: string }): void {
    const key = textOf(parent);
    const known = this.parents.get(parent.organizationId, key) ?? { firstId: spanId, areSeveral: false, models: [] };
    known.areSeveral ||= spanId !== known.firstId;
    if (known.models.length < bounds.models && !known.models.includes(model)) known.models.push(model);
    this.parents.set(parent.organizationId, key, known, bytesOf(key, known));
  }

  /** The models of calls right below a span. */
  modelsBelow(span: SpanKey): readonly string[] {
    return this.parents.get(span.organizationId, textOf(span))?.models ?? [];
  }

  /** True when one call right below a span is known, and no other. */
  hasOneBelow(span: SpanKey): boolean {
    return this.parents.get(span.organizationId, textOf(span))?.areSeveral === false;
  }
}

interface CallsBelow {
  readonly firstId: string;
  areSeveral: boolean;
  readonly models: string[];
}

/** Of an entry without its texts. */
const entryBytes = 256;
const bytesOfCharacter = 2;

function bytesOf(key: string, { firstId, models }: CallsBelow): number {
  return entryBytes + bytesOfCharacter * models.reduce((sum, model) => sum + model.length, key.length + firstId.length);
}

function textOf({ traceId, spanId }: Omit<SpanKey, 'organizationId'>): string {
  return `${traceId} ${spanId}`;
}
