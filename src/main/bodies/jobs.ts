import { packShape, type PackedShape, shapeOf } from '../../gateway/bodies/shape.ts';
import type { EchoRequest } from '../../gateway/builtin/echo.ts';
import { responseOfEcho } from '../../gateway/builtin/echo.ts';
import type { BodyFacts, SentBody } from '../../gateway/bodies/threads.ts';
import type { BufferedResponse } from '../../gateway/upstream/response-sink.ts';
import { type ErrorCode, GatelogError, messageOf } from '../../model/errors.ts';
import { parseBody, readBody } from './facts.ts';

export type BodyQuestion =
  | { readonly of: 'facts'; readonly ways: readonly SentBody[] }
  | { readonly of: 'shape' }
  | { readonly of: 'echo'; readonly request: Omit<EchoRequest, 'body'> };

export interface BodyJob {
  readonly id: number;
  readonly body: Uint8Array;
  readonly question: BodyQuestion;
}

/** Buffers arrive as plain bytes. */
export type BodyAnswer =
  | { readonly facts: readonly (BodyFacts | undefined)[] }
  | { readonly shape: PackedShape }
  | { readonly response: Omit<BufferedResponse, 'chunks'> & { readonly chunks: readonly Uint8Array[] } }
  | { readonly refusal: { readonly code: ErrorCode; readonly message: string } };

export interface AnsweredJob {
  readonly id: number;
  readonly answer: BodyAnswer;
}

/** Never throws. */
export function answerAbout(body: Buffer, question: BodyQuestion): BodyAnswer {
  try {
    if (question.of === 'facts') return { facts: question.ways.map(readBody(body)) };
    if (question.of === 'shape') return { shape: packShape(shapeOf(body)) };
    return { response: responseOfEcho({ ...question.request, body }, parseBody) };
  } catch (error) {
    const { code, message } = error instanceof GatelogError ? error : new GatelogError('internal', messageOf(error));
    return { refusal: { code, message } };
  }
}
