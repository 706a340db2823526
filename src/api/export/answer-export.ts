import { unwrap } from '../../contract/fault.ts';
import type { ExportBody } from '../../contract/export.ts';
import { chosenColumns, showsBodies } from '../../export/columns.ts';
import { partCompressor } from '../../export/compression.ts';
import { recordWriter } from '../../export/writer.ts';
import {
  type Compression,
  type ExportFormat,
  exportFormats,
  fileCompression,
  fileEnding,
  formatTraits,
} from '../../model/vocabulary/export.ts';
import type { Permit } from '../../platform/fair-semaphore.ts';
import { type ExportPlan, exportSelection, planExport } from '../../query/export/plan.ts';
import { isoTime } from '../../query/requests/columns.ts';
import { type CountRow, countStatement } from '../../query/requests/select.ts';
import { failureText } from '../../store/engine/failure.ts';
import type { RequestContext } from '../endpoint/endpoint.ts';
import { bodyStream } from '../http/body-stream.ts';
import { endpointOf } from '../http/matched-endpoint.ts';
import { CallMemory } from '../http/response-memory.ts';
import { wantsCount } from '../page/headers.ts';
import { endOf } from './export-end.ts';
import { readRecords } from './read-records.ts';
import { recordBytes } from './record-stream.ts';

/** Maximum wait for the end of another export, milliseconds. */
const maxWaitMs = 5000;
/** Of formats with groups: one is encoded in one go, in which the process serves no other call. */
const groupBytes = 1024 * 1024;

/** An export: body → plan → end of the window → pages → records → bytes. Faults before the first byte are answered as anywhere. */
export async function answerExport(call: RequestContext, body: ExportBody): Promise<Response> {
  const { context, principal, ports } = call;
  const format = body.format ?? formatAccepted(context.req.header('accept'));
  const plan = unwrap(planExport(principal.organizationId, body));
  const columns = unwrap(chosenColumns({ ...body, format }));
  const compression = body.compression ?? 'none';
  const left = new AbortController();
  const signal = AbortSignal.any([context.req.raw.signal, left.signal]);
  const untilMs = await endOf(call, plan, signal);
  context.header('Content-Type', mediaTypeOf(format, compression));
  context.header('Content-Disposition', `attachment; filename="gatelog-export${fileEnding(format, compression)}"`);
  if (plan.startMs !== undefined) context.header('svc-export-start', isoTime(plan.startMs));
  context.header('svc-export-end', isoTime(untilMs));
  if (context.req.method === 'HEAD') return context.body(null);
  const owner = principal.organizationId;
  const isOfCsv = { raw: body.raw === true, bom: body.bom === true };
  const writer = await recordWriter({ format, columns, compression: body.compression, groupBytes, ...isOfCsv });
  const compress = await partCompressor(fileCompression(format, compression));
  const turn = await ports.exports.turns.acquire(1, { owner, signal, maxWaitMs });
  const memory = new CallMemory(ports.answerMemory, signal).ownedBy(owner);
  const records = readRecords({
    run: ports.run,
    memory,
    plan,
    untilMs,
    withBodies: showsBodies(body),
    signal,
    monotonic: ports.monotonic,
  });
  const bytes = releasing(recordBytes(records, writer, compress), turn, memory);
  try {
    const [first, count] = await Promise.all([bytes.next(), countOf(call, plan, untilMs)]);
    if (count !== undefined) context.header('svc-total-count', String(count));
    const onError = (error: unknown): void => {
      if (!signal.aborted) ports.observe({ kind: 'api_failed', endpoint: endpointOf(context) ?? 'none', reason: failureText(error) });
    };
    return context.body(bodyStream(first, bytes, { onCancel: () => left.abort(), onError }));
  } catch (error) {
    left.abort();
    await bytes.return(undefined).catch(() => undefined);
    throw error;
  }
}

/** What the export holds is given back when it ends, whoever ends it. */
async function* releasing(bytes: AsyncGenerator<Uint8Array>, turn: Permit, memory: CallMemory): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } finally {
    memory.keepAnswer(0);
    turn.release();
  }
}

/** How many records match, when the caller wants to know and the store tells in time. */
async function countOf({ context, ports }: RequestContext, plan: ExportPlan, untilMs: number): Promise<number | undefined> {
  if (!wantsCount(context)) return undefined;
  try {
    const [row] = await ports.run<CountRow>(countStatement(exportSelection(plan, untilMs)), context.req.raw.signal);
    return Number(row?.total ?? 0);
  } catch {
    return undefined;
  }
}

/** The format of the first known media type of an `Accept` header. */
function formatAccepted(accept = ''): ExportFormat {
  for (const part of accept.split(',')) {
    const mediaType = part.split(';', 1)[0]?.trim().toLowerCase() ?? '';
    const format = exportFormats.find((known) => formatTraits[known].mediaTypes.includes(mediaType));
    if (format !== undefined) return format;
  }
  return 'jsonl';
}

function mediaTypeOf(format: ExportFormat, compression: Compression): string {
  const compressed = fileCompression(format, compression);
  if (compressed !== 'none') return `application/${compressed}`;
  const [mediaType] = formatTraits[format].mediaTypes;
  return mediaType.startsWith('text/') ? `${mediaType}; charset=utf-8` : mediaType;
}
