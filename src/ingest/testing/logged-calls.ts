import { randomUUID } from 'node:crypto';
import { makeLogCalls } from '../../intake/record/log-calls.ts';
import { openTo } from '../../intake/testing/open-to.ts';
import { parseUuid, type RequestId } from '../../model/ids.ts';
import type { Principal } from '../../model/principal.ts';
import type { LogCalls, LoggedCall } from '../../model/record/logged-call.ts';
import { systemClock } from '../../platform/clock.ts';
import type { SpoolWriter } from '../../spool/writer.ts';
import { chatRequest, chatResponse, type SpoolRig } from './ingest-harness.ts';

const json = { 'content-type': 'application/json' };

/** A logged call as a test writes it: what is left out is a small chat. */
export function loggedCall(given: Partial<LoggedCall> & { readonly status?: number } = {}): LoggedCall {
  const { status = 200, ...call } = given;
  return {
    requestId: undefined,
    startedAt: systemClock.now() - 60_000,
    elapsedMs: 250,
    firstTokenMs: undefined,
    method: 'POST',
    path: '/v1/chat/completions',
    provider: 'echo',
    targetUrl: '',
    model: undefined,
    requestHeaders: json,
    tags: { properties: [] },
    requestBody: Buffer.from(chatRequest),
    response: { status, headers: json, body: Buffer.from(chatResponse) },
    ...call,
  };
}

/** Logs into a writer's series. */
export function loggerTo(spool: SpoolWriter): (owner: Principal, calls: readonly LoggedCall[]) => ReturnType<LogCalls> {
  const positioned = { ...spool, position: () => ({ segment: 0, offset: 0 }) };
  const logCalls = makeLogCalls({
    spoolOf: () => positioned,
    lateSpool: () => positioned,
    hasSpoolSpace: () => true,
    claim: () => undefined,
    recordMaxBytes: 1024 * 1024,
    now: systemClock.now,
    observe: () => undefined,
  });
  return (owner, calls) => logCalls(openTo(owner), calls);
}

/** An identifier as senders choose them. */
export const chosenId = (): RequestId => parseUuid(randomUUID()) as RequestId;

/** Logs a call, which its status tells apart. @returns its identifier. */
export async function logOne(spool: SpoolRig, writer: SpoolWriter, requestId: RequestId | undefined, status = 200): Promise<RequestId> {
  const [outcome] = await loggerTo(writer)(spool.principal, [loggedCall({ requestId, status })]);
  return outcome?.requestId as RequestId;
}
