import { packShape, type PackedShape, shapeOf } from '../shape.ts';
import { type EchoRequest, responseOfEcho } from '../../builtin/echo.ts';
import type { BodySummary, SentBody } from '../../../model/record/body-summary.ts';
import type { BufferedResponse } from '../../upstream/response-sink.ts';
import { type ErrorCode, GatelogError, messageOf } from '../../../model/errors.ts';
import type { FinishedBody, ThreadJob } from '../../../platform/threads/body-thread.ts';
import { parseBody, readBody } from '../../../providers/body-summary.ts';

export type BodyTask =
  | { readonly of: 'summaries'; readonly forms: readonly SentBody[] }
  | { readonly of: 'shape' }
  | { readonly of: 'echo'; readonly request: Omit<EchoRequest, 'body'> };

export type BodyJob = ThreadJob<BodyTask>;

/** Buffers arrive as plain bytes. */
export type BodyResult =
  | { readonly summaries: readonly (BodySummary | undefined)[] }
  | { readonly shape: PackedShape }
  | { readonly response: Omit<BufferedResponse, 'chunks'> & { readonly chunks: readonly Uint8Array[] } }
  | { readonly refusal: { readonly code: ErrorCode; readonly message: string } };

export type FinishedJob = FinishedBody<BodyResult>;

/** Never throws. */
export function runTask(body: Buffer, task: BodyTask): BodyResult {
  try {
    if (task.of === 'summaries') return { summaries: task.forms.map(readBody(body)) };
    if (task.of === 'shape') return { shape: packShape(shapeOf(body)) };
    return { response: responseOfEcho({ ...task.request, body }, parseBody) };
  } catch (error) {
    const { code, message } = error instanceof GatelogError ? error : new GatelogError('internal', messageOf(error));
    return { refusal: { code, message } };
  }
}
