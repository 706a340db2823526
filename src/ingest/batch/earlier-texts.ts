import { ByteBoundedMap } from '../../platform/bounds/byte-bounded-map.ts';
import { markAllNew, markNew, requestTextOf } from '../../store/insert/new-spans.ts';
import type { Failure, RowMarks, StorableRow } from './insert.ts';

/** What a conversation said last, in memory that the garbage collector does not count. */
interface KeptText {
  readonly memory: Buffer;
  readonly bytes: number;
}

/** How `EarlierTexts` marked the rows of a batch. */
export interface MarkedRows extends RowMarks {
  /** Keeps the last text of each conversation for the batches that follow. Call it once the store has the rows. */
  readonly keep: (refused: ReadonlyMap<number, Failure>) => void;
}

/** Half of it are the conversations that go on; the other half are those that have ended. */
const defaultMaxBytes = 64 * 1024 * 1024;
const spareShare = 1.25;
/** Of a kept text beside its own memory and its key: measured with many short ones. */
const bytesOfEntry = 800;

/**
 * The last text of each conversation that the store has, so that the words of a turn are indexed only where it does not repeat that text.
 *
 * Invariant: a row is marked only by the text of a row that the store has, or takes in the same insert. After a restart a conversation
 * begins with a whole text again.
 */
export class EarlierTexts {
  private readonly maxBytes: number;
  /** How often bodies have been removed from the store. */
  private readonly removals: () => number;
  /** By organisation and conversation. */
  private kept: ByteBoundedMap<KeptText>;
  private removalsSeen: number;

  constructor(removals: () => number, maxBytes: number = defaultMaxBytes) {
    this.removals = removals;
    this.removalsSeen = removals();
    this.maxBytes = maxBytes;
    this.kept = this.none();
  }

  /** Writes into rows what is new in them. */
  mark(rows: readonly StorableRow[]): MarkedRows {
    this.forgetRemoved();
    const marked: Uint8Array[] = [];
    /** Of this batch. */
    const last = new Map<string, Buffer>();
    for (const { rows: written } of rows) {
      const { conversation, bodies } = written;
      if (conversation === undefined || bodies.length === 0) continue;
      const text = requestTextOf(bodies);
      const earlier = last.get(conversation) ?? this.keptText(conversation);
      if (earlier !== undefined) {
        markNew(bodies, earlier);
        marked.push(bodies);
      }
      last.set(conversation, text);
    }
    const seen = this.removalsSeen;
    let isUndone = false;
    const undo = (): void => {
      isUndone = true;
      for (const row of marked) markAllNew(row);
    };
    return {
      undo,
      check: () => {
        if (this.removals() !== seen && !isUndone) undo();
      },
      keep: (refused) => {
        if (isUndone || refused.size > 0 || this.removals() !== seen) return;
        for (const [conversation, text] of last) this.keepText(conversation, text);
      },
    };
  }

  /** Bytes of memory that kept texts take. */
  bytes(): number {
    return this.kept.bytes;
  }

  private forgetRemoved(): void {
    const removals = this.removals();
    if (removals === this.removalsSeen) return;
    this.removalsSeen = removals;
    this.kept = this.none();
  }

  private none(): ByteBoundedMap<KeptText> {
    return new ByteBoundedMap({ maxBytes: this.maxBytes, maxBytesOfOwner: this.maxBytes });
  }

  private keptText(conversation: string): Buffer | undefined {
    const kept = this.kept.get(organizationOf(conversation), conversation);
    return kept?.memory.subarray(0, kept.bytes);
  }

  private keepText(conversation: string, text: Buffer): void {
    const organization = organizationOf(conversation);
    const before = this.kept.get(organization, conversation);
    if (text.length > this.maxBytes / 4) {
      this.kept.delete(organization, conversation);
      return;
    }
    const fits = before !== undefined && before.memory.length >= text.length;
    const memory = fits ? before.memory : Buffer.from(new SharedArrayBuffer(Math.ceil(text.length * spareShare)));
    text.copy(memory);
    const bytes = memory.length + 2 * conversation.length + bytesOfEntry;
    this.kept.set(organization, conversation, { memory, bytes: text.length }, bytes);
  }
}

/** What the name of a conversation begins with: see `conversationOf`. */
function organizationOf(conversation: string): string {
  return conversation.slice(0, conversation.indexOf(' '));
}
