import { isJsonObject, type JsonObject, parseJson } from '../../model/text.ts';
import { unreportedUsage, type Usage } from '../../model/record/usage.ts';
import { countOf, objectOf } from '../format/fields.ts';
import type { ResponseFields, WireFormat } from '../format/provider.ts';
import type { ServerSentEvent } from '../format/sse.ts';

/** Member of the last chunk of every invoked stream, whose model is of whatever maker. */
const metricsMember = 'amazon-bedrock-invocationMetrics';

/**
 * A maker's format as Bedrock's `POST /model/<id>/invoke` and `/invoke-with-response-stream` serve it: Bedrock states token counts of its own
 * in the last chunk of a stream and in the headers of a plain response. They fill what the maker's usage does not report.
 */
export function invokedAtBedrock(format: WireFormat): WireFormat {
  return {
    ...format,
    readResponse: (body) => withCounts(format.readResponse(body), usageOfMetrics(objectOf(body)[metricsMember])),
    assembleStream: (events) => {
      const assembled = format.assembleStream(events);
      const metrics = metricsIn(events);
      if (metrics === undefined || !assembled.understood) return assembled;
      return { ...assembled, body: { ...objectOf(assembled.body), [metricsMember]: metrics }, isComplete: true };
    },
    readHeaders: (fields, headers) => withCounts(fields, usageOfHeaders(headers)),
    responseIdHeader: format.responseIdHeader ?? 'x-amzn-requestid',
  };
}

function metricsIn(events: readonly ServerSentEvent[]): JsonObject | undefined {
  const last = events.findLast(({ data }) => data.includes(`"${metricsMember}"`));
  const metrics = last === undefined ? undefined : objectOf(parseJson(last.data))[metricsMember];
  return isJsonObject(metrics) ? metrics : undefined;
}

function usageOfMetrics(metrics: unknown): Usage {
  if (!isJsonObject(metrics)) return unreportedUsage;
  return usageOf(metrics, {
    input: countOf(metrics['inputTokenCount']),
    output: countOf(metrics['outputTokenCount']),
    read: countOf(metrics['cacheReadInputTokenCount']),
    written: countOf(metrics['cacheWriteInputTokenCount']),
  });
}

/** Headers with the counts of a plain response; a stream has none. */
const countHeaders = {
  input: 'x-amzn-bedrock-input-token-count',
  output: 'x-amzn-bedrock-output-token-count',
  read: 'x-amzn-bedrock-cache-read-input-token-count',
  written: 'x-amzn-bedrock-cache-write-input-token-count',
} as const;

function usageOfHeaders(headers: Readonly<Record<string, string>>): Usage {
  const counts = Object.fromEntries(Object.values(countHeaders).flatMap((name) => countIn(headers, name)));
  return usageOf(counts, {
    input: counts[countHeaders.input] ?? null,
    output: counts[countHeaders.output] ?? null,
    read: counts[countHeaders.read] ?? null,
    written: counts[countHeaders.written] ?? null,
  });
}

function countIn(headers: Readonly<Record<string, string>>, name: string): [name: string, count: number][] {
  const text = headers[name];
  const count = text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
  return count === null ? [] : [[name, count]];
}

interface Counts {
  readonly input: number | null;
  readonly output: number | null;
  readonly read: number | null;
  readonly written: number | null;
}

/** As in a conversation, the input counts neither cache reads nor cache writes. */
function usageOf(raw: JsonObject, { input, output, read, written }: Counts): Usage {
  if (input === null && output === null) return unreportedUsage;
  return {
    ...unreportedUsage,
    promptTokens: input === null ? null : countOf(input + (read ?? 0) + (written ?? 0)),
    completionTokens: output,
    promptCacheReadTokens: read,
    promptCacheWriteTokens: written,
    raw,
  };
}

/** Either side is the maker's where the maker reports it. */
function withCounts(
  fields: ResponseFields,
  { promptTokens, completionTokens, promptCacheReadTokens, promptCacheWriteTokens, raw }: Usage,
): ResponseFields {
  const { usage } = fields;
  const lacksPrompt = usage.promptTokens === null && promptTokens !== null;
  const lacksCompletion = usage.completionTokens === null && completionTokens !== null;
  if (!lacksPrompt && !lacksCompletion) return fields;
  const filled = {
    ...usage,
    ...(lacksPrompt ? { promptTokens, promptCacheReadTokens, promptCacheWriteTokens } : {}),
    ...(lacksCompletion ? { completionTokens } : {}),
    raw: usage.promptTokens === null && usage.completionTokens === null ? raw : usage.raw,
  };
  return { ...fields, usage: filled };
}
