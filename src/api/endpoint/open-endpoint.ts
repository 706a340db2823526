import type { Context } from 'hono';
import { type AnswerSchema, type DataOf, type DeclaredAnswer, jsonAnswer, type Named, namedAt, type Sent } from './endpoint.ts';
import { problemResponses, type ProblemStatus } from '../http/declared-responses.ts';
import type { CallMemory } from '../http/response-memory.ts';
import { sendData } from '../http/send-json.ts';
import type { Declaration, DeclaredRequest, DeclaredResponses } from '../openapi/declaration.ts';
import type { ApiPorts } from './ports.ts';

/** A call of an {@link OpenEndpoint}. `document` returns the OpenAPI document. */
export interface RecordedCall {
  readonly context: Context;
  readonly ports: ApiPorts;
  /** Memory of the response. A handler that takes some must call `ownedBy` first. */
  readonly memory: CallMemory;
  readonly document: () => object;
}

/** An endpoint without a key: it shows no recorded data, or its address is signed. */
export interface OpenEndpoint {
  readonly declaration: Declaration;
  readonly handle: (call: RecordedCall) => Response | Promise<Response>;
}

interface Declared extends Named {
  /** What a call may have. Nothing of it is read: some callers are refused before. */
  readonly request?: DeclaredRequest;
  /** Failures beside a wrong method. */
  readonly errors?: readonly ProblemStatus[];
}

/** An endpoint without a key that answers with JSON in the envelope. What `run` returns must have the type of `answer`. */
export function openEndpoint<Answer extends AnswerSchema>(
  declared: Declared &
    DeclaredAnswer<Answer> & { readonly run: (call: RecordedCall) => Promise<Sent<DataOf<Answer>>> | Sent<DataOf<Answer>> },
): OpenEndpoint {
  return {
    declaration: declarationOf(declared, { 200: jsonAnswer(declared) }),
    handle: async (call) => sendData(call.context, await declared.run(call)),
  };
}

/** An endpoint without a key that answers with something else. @param declared `answers` describes what is no failure. */
export function rawOpenEndpoint(
  declared: Declared & { readonly answers: DeclaredResponses; readonly respond: OpenEndpoint['handle'] },
): OpenEndpoint {
  return { declaration: declarationOf(declared, declared.answers), handle: declared.respond };
}

function declarationOf(declared: Declared, answers: DeclaredResponses): Declaration {
  const { request, errors = [] } = declared;
  return {
    ...namedAt(declared),
    ...(request === undefined ? {} : { request }),
    responses: { ...answers, ...problemResponses(405, ...errors) },
  };
}
