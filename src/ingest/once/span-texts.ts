import { createHash } from 'node:crypto';
import { type ChangeEntry, textsName } from '../../model/change.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { Observe } from '../../model/observation.ts';
import type { RecordedBody } from '../../model/record/request-record.ts';
import { Slices } from '../../platform/bounds/slices.ts';
import type { Clock } from '../../platform/clock.ts';
import { changeRows } from '../../store/insert/change-rows.ts';
import type { InsertRows } from '../../store/insert/insert.ts';
import type { ReadTexts, SpanTextsRows, StoredBodies } from '../../store/once/span-texts.ts';
import type { FindTold, ToldRow } from '../../store/once/told-rows.ts';
import type { ChangeStored } from '../../store/update/change.ts';
import type { TrackedExchange } from '../series/exchange.ts';
import { type FilledBodies, filledBodies } from './filled-bodies.ts';
import { hasTextsMark, linksTo, readLinks, toldByLogs } from '../interpret/links.ts';
import { type WaitingSpan, WaitingTexts } from './waiting-texts.ts';

export interface SpanTextsPorts {
  readonly spanTexts: SpanTextsRows;
  readonly findTold: FindTold;
  readonly changeStored: ChangeStored;
  readonly insert: InsertRows;
  /** Bytes of a body's text that filters search. */
  readonly searchMaxBytes?: number | undefined;
  readonly clock: Clock;
  readonly observe: Observe;
}

/** An exchange of a stored batch: a span, or what log records told of one. */
export type StoredExchange = Pick<TrackedExchange, 'requestId' | 'openedAt' | 'bytes' | 'logged'>;

/** A request of a span, and the texts that wait for it. */
interface Found {
  readonly row: ToldRow;
  readonly waiting: readonly WaitingSpan[];
}

interface Filled extends Found, FilledBodies {
  /** Rows that have its bodies as they were. */
  readonly stale: readonly StoredBodies[];
  /** A row has them as they are to be. */
  readonly isWritten: boolean;
  readonly keyId: string;
}

const hourMs = 3_600_000;
/** Of what one record gets: more would hold up the core. */
const maxBytesOfRecord = 2 * 1024 * 1024;
const spansAtOnce = 100;

/**
 * Fills what requests that were made of spans lack, by what log records told of their spans, before or after them. The texts wait in the
 * store, where a restart finds them.
 *
 * Invariant: texts are removed only once their record has them and its history says so; each step can be repeated.
 */
export class SpanTexts {
  private readonly ports: SpanTextsPorts;
  private readonly waiting: WaitingTexts;
  private readonly listed = new Set<OrganizationId>();

  constructor(ports: SpanTextsPorts) {
    this.ports = ports;
    this.waiting = new WaitingTexts(() =>
      ports.observe({ kind: 'span_texts_dropped', reason: 'no request of their span came, or too many wait' }),
    );
  }

  /** Runs once the exchanges of an organisation are stored, and their spans joined. @throws GatelogError when the store fails. */
  async complete(organizationId: OrganizationId, exchanges: readonly StoredExchange[], signal: AbortSignal): Promise<void> {
    await this.list(organizationId);
    const since = this.ports.clock.now();
    const names = new Set<string>();
    for (const { requestId, bytes, logged } of exchanges) {
      const { span } = logged ?? {};
      for (const id of span?.ids ?? []) {
        const name = textsName(span?.traceId ?? '', id);
        names.add(name);
        if (span?.textsAlone !== undefined) this.waiting.add({ organizationId, name, ids: [requestId], bytes, since });
      }
    }
    const waiting = [...names].flatMap((name) => this.waiting.get(organizationId, name) ?? []);
    const times = exchanges.map(({ openedAt }) => openedAt);
    const during = { from: Math.min(...times) - hourMs, to: Math.max(...times) + hourMs };
    for (let start = 0; start < waiting.length; start += spansAtOnce) {
      const found = await this.find(organizationId, waiting.slice(start, start + spansAtOnce), during);
      if (found.length > 0) await this.fill(organizationId, found, signal);
    }
    for (const owner of this.listed) await this.removeOld(owner, signal);
  }

  /** What waits no more. */
  private async removeOld(organizationId: OrganizationId, signal: AbortSignal): Promise<void> {
    this.waiting.expire(organizationId, this.ports.clock.now());
    const gone = this.waiting.toRemove(organizationId);
    if (gone.length === 0) return;
    await this.ports.spanTexts.remove(organizationId, gone, signal);
    this.waiting.removed(organizationId);
  }

  /** What an earlier life left. */
  private async list(organizationId: OrganizationId): Promise<void> {
    if (this.listed.has(organizationId)) return;
    const since = this.ports.clock.now();
    for (const { name, requestId, bytes } of await this.ports.spanTexts.list(organizationId)) {
      this.waiting.add({ organizationId, name, ids: [requestId], bytes, since });
    }
    this.listed.add(organizationId);
  }

  /** The requests of spans whose texts wait. A call that the gateway has recorded needs none. */
  private async find(
    organizationId: OrganizationId,
    waiting: readonly WaitingSpan[],
    during: { readonly from: number; readonly to: number },
  ): Promise<readonly Found[]> {
    const pairs = waiting.map(({ name }) => name.split(':'));
    const [traceIds, spanIds] = [0, 1].map((at) => [...new Set(pairs.map((pair) => pair[at] ?? ''))]) as [string[], string[]];
    const { rows } = await this.ports.findTold(organizationId, { traceIds, spanIds, links: linksTo.asId(spanIds), ...during });
    const byName = new Map(rows.flatMap((row) => spanIdsOf(row).map((id) => [textsName(row.traceId, id), row] as const)));
    const found = new Map<ToldRow, WaitingSpan[]>();
    for (const span of waiting) {
      const row = byName.get(span.name);
      if (row === undefined) continue;
      if (!readLinks(row.links).isMadeOfSpan) this.waiting.end(span);
      else found.set(row, [...(found.get(row) ?? []), span]);
    }
    return Array.from(found, ([row, own]) => ({ row, waiting: own }));
  }

  /**
   * The history comes first, then the bodies that are whole, then those that they replace go: a repetition finds what is done. Between the
   * last two a record has its bodies twice, for some milliseconds.
   */
  private async fill(organizationId: OrganizationId, found: readonly Found[], signal: AbortSignal): Promise<void> {
    const { spanTexts, changeStored, insert, searchMaxBytes, clock } = this.ports;
    const acceptedAt = clock.now();
    const filled = await this.filled(organizationId, found);
    if (filled.length > 0) {
      const token = tokenOf(organizationId, filled);
      const entries = filled.flatMap((record) => entriesOf(organizationId, record, acceptedAt));
      await insert('changes', [changeRows(entries)], `texts-${token}-history`);
      const rows = filled.filter(({ isWritten }) => !isWritten).map(({ bodies }) => bodies);
      const stale = filled.flatMap((record) => record.stale);
      await spanTexts.replaceBodies(organizationId, { rows, stale, token: `texts-${token}-bodies`, searchMaxBytes }, signal);
      await Promise.all(
        filled.map(({ row: { requestId, createdAt }, keyId, requestMessages, responseMessages, previews }) => {
          const links = [
            hasTextsMark,
            ...(requestMessages > 0 ? [toldByLogs.request] : []),
            ...(responseMessages > 0 ? [toldByLogs.response] : []),
          ];
          const change = {
            kind: 'fill',
            values: new Map(),
            over: new Map(),
            links,
            previews: {
              ...(requestMessages > 0 ? { input_preview: previews.inputPreview } : {}),
              ...(responseMessages > 0 ? { output_preview: previews.outputPreview } : {}),
            },
          } as const;
          return changeStored({ accepted: { organizationId, requestId, change, keyId, acceptedAt, number: acceptedAt * 1000 }, createdAt });
        }),
      );
    }
    for (const { waiting } of found) for (const span of waiting) this.waiting.end(span);
  }

  private async filled(organizationId: OrganizationId, found: readonly Found[]): Promise<readonly Filled[]> {
    const { spanTexts, observe } = this.ports;
    const texts = await spanTexts.read(
      organizationId,
      found.flatMap(({ waiting }) => waiting.flatMap(({ ids }) => ids)),
    );
    const bodies = await spanTexts.readBodies(
      organizationId,
      found.map(({ row }) => row),
    );
    const slices = new Slices();
    const filled: Filled[] = [];
    for (const each of found) {
      await slices.turn();
      const names = new Set(each.waiting.map(({ name }) => name));
      const own = texts.filter(({ name }) => names.has(name));
      const stored = bodies
        .filter(({ requestId }) => requestId === each.row.requestId)
        .toSorted((one, other) => sizeOf(one) - sizeOf(other));
      const bytes = [...own, ...stored].reduce((sum, { request, response }) => sum + request.length + response.length, 0);
      if (bytes > maxBytesOfRecord) observe({ kind: 'span_texts_dropped', reason: `over ${maxBytesOfRecord} characters for one request` });
      else filled.push(...filledOf(each, own, stored));
    }
    return filled;
  }
}

function spanIdsOf({ spanId, links }: ToldRow): readonly string[] {
  return [...new Set([spanId, ...readLinks(links).ids])].filter((id) => id !== '');
}

function sizeOf({ request, response }: StoredBodies): number {
  return request.length + response.length;
}

/** A record that has two rows was being filled when this stopped: the shorter one is as before, and the other may be what is made of it. */
function filledOf(found: Found, texts: readonly ReadTexts[], stored: readonly StoredBodies[]): readonly Filled[] {
  const [first] = texts;
  const [before, ...others] = stored;
  if (before === undefined || first === undefined) return [];
  const { links } = found.row;
  const made = filledBodies(before, texts, { request: links.includes(toldByLogs.request), response: links.includes(toldByLogs.response) });
  if (made === undefined) return [];
  const written = others.find(
    ({ request, response }) => request === textOf(made.bodies.requestBody) && response === textOf(made.bodies.responseBody),
  );
  const stale = stored.filter((row) => row !== written);
  return [{ ...found, ...made, stale, isWritten: written !== undefined, keyId: first.keyId }];
}

function textOf(body: RecordedBody): string {
  return body.kind === 'json' || body.kind === 'text' ? body.text : '';
}

/** The same for the same work: the store knows it again. */
function tokenOf(organizationId: OrganizationId, filled: readonly Filled[]): string {
  const hash = createHash('sha256').update(`${organizationId}\n`);
  for (const { row, stale, waiting } of filled) {
    hash.update(
      `${row.requestId} ${stale.map(({ content }) => content).join(' ')} ${waiting
        .flatMap(({ ids }) => ids)
        .toSorted()
        .join(' ')}\n`,
    );
  }
  return hash.digest('hex').slice(0, 32);
}

function entriesOf(
  organizationId: OrganizationId,
  { row: { requestId }, keyId, requestMessages, responseMessages }: Filled,
  acceptedAt: number,
): readonly ChangeEntry[] {
  const entry = { organizationId, requestId, keyId, acceptedAt, number: acceptedAt * 1000, kind: 'texts', old: null } as const;
  const counts = [
    ['request_body', requestMessages],
    ['response_body', responseMessages],
  ] as const;
  return counts.filter(([, count]) => count > 0).map(([name, count]) => ({ ...entry, name, new: count }));
}
