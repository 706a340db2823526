import { z } from 'zod';
import type { Context } from 'hono';
import type { OrganizationId } from '../../model/ids.ts';
import type { RawJson } from '../../model/json/raw.ts';
import type { Action, Principal } from '../../model/principal.ts';
import { type Headers, jsonContent, problems, type ProblemStatus } from '../http/declared-responses.ts';
import { readInput, readOptionalInput, readQueryParameters, warnUnknownFields } from '../http/read-input.ts';
import { readJson } from '../http/read-json.ts';
import type { PathParameter } from '../http/path-parameter.ts';
import type { CallMemory } from '../http/response-memory.ts';
import { sendDataInTurns } from '../http/send-json.ts';
import type { Declaration, DeclaredContent, DeclaredRequest, DeclaredResponse, DeclaredResponses } from '../openapi/declaration.ts';
import { type Audited, type AuditedEndpoint, auditKind, noteAnswered } from './audited.ts';
import type { ApiPorts } from './ports.ts';

/** A call of an endpoint that needs a key. */
export interface RequestContext {
  readonly context: Context;
  readonly principal: Principal;
  readonly ports: ApiPorts;
  /** Memory of the response. */
  readonly memory: CallMemory;
}

/** An endpoint that needs a key, declared once for the router and the OpenAPI document. */
export interface Endpoint {
  /** The entry in the OpenAPI document, with a path like `/v1/request/{id}`. */
  readonly declaration: Declaration;
  /** The action that the key must permit. Invariant: every `Endpoint` needs a key. */
  readonly action: Action;
  /** What the audit log gets to know of its calls. */
  readonly audits: ReturnType<typeof auditKind>;
  /** The body may have any length and passes through bounded memory: the limit of bodies does not hold. */
  readonly readsStream?: true;
  /** A limit of bodies below that of the deployment. */
  readonly bodyMaxBytes?: number;
  readonly handle: (call: RequestContext) => Promise<Response>;
}

type PathParameters = Readonly<Record<string, PathParameter<unknown>>>;
type ReadPath<Params extends PathParameters> = { readonly [Name in keyof Params]: ReturnType<Params[Name]['read']> };

/** A JSON body that the schema only describes. */
export interface DescribedBody<Value> {
  readonly schema: z.ZodType;
  /** The caller is told of fields that the schema has not. */
  readonly warnsUnknown?: true;
  /** @throws GatelogError 422. */
  readonly read: (body: unknown) => Value;
}

type JsonBody = z.ZodType | DescribedBody<unknown>;
type ReadBody<Body extends JsonBody> = Body extends DescribedBody<infer Value> ? Value : Body extends z.ZodType ? z.output<Body> : never;

/** What `run` gets: the parts of the call, read by their schemas. */
export interface Call<Params extends PathParameters, Query extends z.ZodType, Body extends JsonBody> extends RequestContext {
  /** Organisation of the key. */
  readonly tenant: OrganizationId;
  readonly params: ReadPath<Params>;
  readonly query: z.output<Query>;
  readonly body: ReadBody<Body>;
  /** Aborts once the caller has left. */
  readonly signal: AbortSignal;
}

/**
 * An answer as a schema describes it before it is written: what nobody changes may be read-only, and a number may be JSON text already, with
 * more digits than a number holds.
 */
type Written<Value> = Value extends number
  ? Value | RawJson<Value>
  : Value extends readonly (infer Item)[]
    ? readonly Written<Item>[]
    : Value extends object
      ? { readonly [Name in keyof Value]: Written<Value[Name]> }
      : Value;
/** What an answer takes that is no envelope, or an envelope with more. */
export type AnswerOf<Answer extends z.ZodType> = Written<z.input<Answer>>;

/** The schema of an envelope: `{data, error: null}`. */
export type AnswerSchema = z.ZodType<{ readonly data: unknown; readonly error: null }>;
/** What the `data` of an envelope takes. */
export type DataOf<Answer extends AnswerSchema> = Written<z.input<Answer> extends { data: infer Data } ? Data : never>;
/** What `run` returns: the data, or JSON text of it or of the items of a list. */
export type Sent<Data> = Data | RawJson<Data> | (Data extends readonly (infer Item)[] ? readonly RawJson<Item>[] : never);

/** What an endpoint is called. */
export interface Named {
  /** Method and path, such as `POST /v1/session/{id}/tag`. */
  readonly at: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;
  /** `operationId` of the document, and the name of the client's method. */
  readonly id: string;
  readonly summary: string;
  /** What the summary does not say; plain text with Markdown's backticks. */
  readonly text?: string;
}

interface Declared<Params extends PathParameters, Query extends z.ZodType, Body extends JsonBody>
  extends Named, Audited<Call<Params, Query, Body>> {
  /** Present: the endpoint is deprecated, which these headers of every answer say. */
  readonly deprecated?: Readonly<Record<string, string>>;
  readonly action: Action;
  readonly params?: Params;
  readonly query?: Query;
  /** Headers of the call beside those of every endpoint. Shown only: `run` reads them. */
  readonly requestHeaders?: z.ZodObject;
  /** A JSON body. */
  readonly body?: Body;
  /** Another body. Shown only: `run` reads it. */
  readonly content?: DeclaredContent;
  /** A body that can be sent; of several media types in the first. */
  readonly example?: Body extends z.ZodUndefined ? unknown : Body extends z.ZodType ? Written<z.input<Body>> : unknown;
  readonly readsStream?: Endpoint['readsStream'];
  /** The call may come without a body, which is the same as `{}`. */
  readonly bodyIsOptional?: true;
  readonly bodyMaxBytes?: number;
  /** Failures beside those of every endpoint with a key. */
  readonly errors?: readonly ProblemStatus[];
  readonly errorHeaders?: Readonly<Partial<Record<ProblemStatus, Headers>>>;
  /** Failures that are described otherwise than those of other endpoints. */
  readonly failures?: DeclaredResponses;
}

/** The answer with status 200. */
export interface DeclaredAnswer<Answer extends z.ZodType> {
  readonly answer: Answer;
  /** A sentence on it. */
  readonly answered: string;
  readonly headers?: Headers;
}

const keyRequired = [{ bearer: [] }];
const nothing = {} as const;

/** An endpoint that answers with JSON in the envelope. What `run` returns must have the type of `answer`. */
export function endpoint<
  const Params extends PathParameters = typeof nothing,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends JsonBody = z.ZodUndefined,
  Answer extends AnswerSchema = AnswerSchema,
>(
  declared: Declared<Params, Query, Body> &
    DeclaredAnswer<Answer> & {
      readonly run: (call: Call<Params, Query, Body>) => Promise<Sent<DataOf<Answer>>> | Sent<DataOf<Answer>>;
    },
): Endpoint {
  return {
    ...endpointOf(declared, jsonAnswer(declared)),
    handle: async (given) => {
      const call = await readCall(declared, given);
      const data = await declared.run(call);
      await noteAnswered(declared, call, data);
      return sendDataInTurns(call.context, data, call.principal.organizationId);
    },
  };
}

export function jsonAnswer({ answer, answered, headers }: DeclaredAnswer<z.ZodType>): DeclaredResponse {
  return { description: answered, ...(headers === undefined ? {} : { headers }), content: jsonContent(answer) };
}

/** An endpoint that answers with something else than the envelope. @param declared `answer` describes status 200. */
export function rawEndpoint<
  const Params extends PathParameters = typeof nothing,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends JsonBody = z.ZodUndefined,
>(
  declared: Declared<Params, Query, Body> & {
    readonly answer: DeclaredResponse;
    readonly respond: (call: Call<Params, Query, Body>) => Promise<Response> | Response;
  },
): Endpoint {
  const { answer, respond } = declared;
  return {
    ...endpointOf(declared, answer),
    handle: async (given) => {
      const call = await readCall(declared, given);
      const response = await respond(call);
      await noteResponse(declared, call, response);
      return response;
    },
  };
}

/** A response whose call cannot be noted is not sent: whatever reads for it ends. */
async function noteResponse<OneCall extends Call<PathParameters, z.ZodType, JsonBody>>(
  declared: AuditedEndpoint<OneCall>,
  call: OneCall,
  response: Response,
): Promise<void> {
  if (!response.ok) return;
  try {
    await noteAnswered(declared, call, undefined);
  } catch (error) {
    await response.body?.cancel();
    throw error;
  }
}

type AnyDeclared = Omit<Declared<PathParameters, z.ZodType, JsonBody>, keyof Audited<never>> & Audited<never>;

function endpointOf(declared: AnyDeclared, answer: DeclaredResponse): Omit<Endpoint, 'handle'> {
  const { deprecated, action, readsStream, bodyMaxBytes } = declared;
  const request = requestOf(declared);
  return {
    declaration: {
      ...namedAt(declared),
      ...(deprecated === undefined ? {} : { deprecated: true }),
      security: keyRequired,
      ...(request === undefined ? {} : { request }),
      responses: { 200: answer, ...failuresOf(declared) },
    },
    action,
    audits: auditKind(declared),
    ...(readsStream === undefined ? {} : { readsStream }),
    ...(bodyMaxBytes === undefined ? {} : { bodyMaxBytes }),
  };
}

export function namedAt({ at, id, summary, text }: Named): Omit<Declaration, 'responses'> {
  const [method = '', path = ''] = at.split(' ');
  return {
    method: method.toLowerCase(),
    path,
    operationId: id,
    summary,
    ...(text === undefined ? {} : { description: text }),
  };
}

function requestOf(declared: AnyDeclared): DeclaredRequest | undefined {
  const { params, query, requestHeaders, bodyIsOptional } = declared;
  const content = contentOf(declared);
  if ([params, query, requestHeaders, content].every((part) => part === undefined)) return undefined;
  const shape = Object.entries(params ?? {}).map(([name, { schema }]) => [name, schema] as const);
  return {
    ...(params === undefined ? {} : { params: z.object(Object.fromEntries(shape)) }),
    ...(query === undefined ? {} : { query }),
    ...(requestHeaders === undefined ? {} : { headers: requestHeaders }),
    ...(content === undefined ? {} : { body: { required: bodyIsOptional !== true, content } }),
  };
}

function contentOf({ body, content: declared, example }: AnyDeclared): AnyDeclared['content'] {
  const content = body === undefined ? declared : jsonContent('read' in body ? body.schema : body);
  if (content === undefined || example === undefined) return content;
  const entries = Object.entries(content);
  return Object.fromEntries(entries.map(([type, said], index) => [type, index === 0 ? { ...said, example } : said]));
}

function failuresOf({ errors = [], errorHeaders = {}, failures: others }: AnyDeclared): DeclaredResponses {
  const failures = problems(...errors);
  const withHeaders = Object.entries(errorHeaders).map(([status, headers]) => [status, { ...failures[Number(status)], headers }]);
  return { ...failures, ...(Object.fromEntries(withHeaders) as DeclaredResponses), ...others };
}

/** @throws GatelogError for a path, parameters or a body that is not valid; in this order. */
async function readCall<Params extends PathParameters, Query extends z.ZodType, Body extends JsonBody>(
  { deprecated = {}, params, query, body, bodyIsOptional }: Declared<Params, Query, Body>,
  call: RequestContext,
): Promise<Call<Params, Query, Body>> {
  const { context, principal } = call;
  for (const [name, value] of Object.entries(deprecated)) context.header(name, value);
  const path = Object.entries(params ?? {}).map(([name, { read }]) => [name, read(context.req.param(name) ?? '')] as const);
  return {
    ...call,
    tenant: principal.organizationId,
    params: Object.fromEntries(path) as ReadPath<Params>,
    query: (query === undefined ? undefined : readQueryParameters(context, query)) as z.output<Query>,
    body: (body === undefined ? undefined : await readJsonBody(context, body, bodyIsOptional)) as ReadBody<Body>,
    signal: context.req.raw.signal,
  };
}

async function readJsonBody(context: Context, body: JsonBody, isOptional: true | undefined): Promise<unknown> {
  if (!('read' in body)) return isOptional === true ? readOptionalInput(context, body) : readInput(context, body);
  const given = await readJson(context);
  if (body.warnsUnknown === true) warnUnknownFields(context, body.schema, given);
  return body.read(given);
}
