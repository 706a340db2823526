import type { ServerResponse } from 'node:http';
import type { ErrorCode } from '../../model/errors.ts';
import type { Observe } from '../../model/observation.ts';
import type { IncomingRequest } from '../http/incoming-request.ts';
import type { RequestBody } from '../http/request-body.ts';
import { withoutOurKeys } from '../credentials/credentials.ts';
import { withoutSecrets } from '../http/headers.ts';
import { findModelField } from '../json/model-field.ts';

/** Further calls of a second are only counted. */
const linesPerSecond = 50;
const secondMs = 1000;
const maxText = 200;

export interface CallLogOptions {
  readonly observe: Observe;
  readonly monotonic: () => number;
}

interface CallNotes {
  provider?: string;
  model?: string | undefined;
  code?: ErrorCode;
}

/** Logs each ended call without credentials and bodies; above the rate limit, the number of calls. */
export class CallLog {
  private readonly options: CallLogOptions;
  private readonly notes = new WeakMap<ServerResponse, CallNotes>();
  private logged = 0;
  private readonly unlogged = { calls: 0, failed: 0 };
  private second: NodeJS.Timeout | undefined;

  constructor(options: CallLogOptions) {
    this.options = options;
  }

  watch({ method = '', url = '' }: IncomingRequest, response: ServerResponse): void {
    const startedAt = this.options.monotonic();
    this.notes.set(response, {});
    response.once('close', () => {
      const { provider, model, code } = this.notes.get(response) ?? {};
      const status = response.headersSent ? response.statusCode : 0;
      if (!this.takes(status)) return;
      const ms = Math.round(this.options.monotonic() - startedAt);
      this.options.observe({ kind: 'call', method, path: shownPath(url), provider, model, status, ms, code });
    });
  }

  recordTarget(response: ServerResponse, provider: string, model: string | undefined, body: RequestBody | undefined): void {
    const notes = this.notes.get(response);
    if (notes === undefined) return;
    notes.provider = provider;
    const namedModel = model ?? (body !== undefined && 'buffered' in body ? findModelField(body.buffered)?.text : undefined);
    notes.model = namedModel?.slice(0, maxText);
  }

  failed(response: ServerResponse, code: ErrorCode): void {
    const notes = this.notes.get(response);
    if (notes !== undefined) notes.code = code;
  }

  private takes(status: number): boolean {
    this.second ??= setTimeout(() => this.endSecond(), secondMs).unref();
    if (this.logged < linesPerSecond) {
      this.logged += 1;
      return true;
    }
    this.unlogged.calls += 1;
    if (status === 0 || status >= 400) this.unlogged.failed += 1;
    return false;
  }

  private endSecond(): void {
    const { calls, failed } = this.unlogged;
    this.second = undefined;
    this.logged = 0;
    this.unlogged.calls = 0;
    this.unlogged.failed = 0;
    if (calls > 0) this.options.observe({ kind: 'more_calls', calls, failed });
  }
}

/** Without the query, which may contain a key. */
function shownPath(url: string): string {
  const queryAt = url.search(/[?#]/);
  return withoutSecrets(withoutOurKeys(queryAt === -1 ? url : url.slice(0, queryAt))).slice(0, maxText);
}
