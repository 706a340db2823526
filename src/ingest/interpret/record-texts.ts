import type { Exchange } from '../../model/record/exchange.ts';
import type { Failure } from '../../model/record/failure.ts';
import type { RecordedBody } from '../../model/record/request-record.ts';
import { emptyTextTags, mapTextTags, type TextTags } from '../../model/record/text-tags.ts';
import { statedVersion } from '../../model/vocabulary/clients.ts';
import type { ReadRequest, ReadResponse } from './bodies.ts';

/** All texts of a record that the caller or the provider wrote. */
export interface RecordTexts extends TextTags {
  readonly requestBody: RecordedBody;
  readonly responseBody: RecordedBody;
  /** The body cannot be searched: it has an unknown content coding, or pieces that no wire format assembled. */
  readonly requestIsOpaque: boolean;
  readonly responseIsOpaque: boolean;
  readonly promptText: string;
  readonly lastUserText: string;
  readonly completionText: string;
  readonly path: string;
  readonly referrer: string;
  readonly userAgent: string;
  /** As an agent's own header states it; its user agent may state another. */
  readonly clientVersion: string;
  readonly targetUrl: string;
  /** The provider's usage object as received, null without one. */
  readonly usageRaw: unknown;
  readonly properties: Map<string, string>;
  readonly inputs: ReadonlyMap<string, string>;
  readonly requestModel: string;
  readonly modelOverride: string;
  readonly responseModel: string;
  readonly responseId: string;
  readonly serviceTier: string;
  readonly userId: string;
  readonly promptId: string;
  readonly failureType: string;
  readonly failureMessage: string;
}

/** Redacts the texts of a record by its organisation's rules. Never throws. */
export type RedactTexts = (texts: RecordTexts) => RecordTexts;

const absent: RecordedBody = { kind: 'absent' };

export const noTexts: RecordTexts = {
  requestBody: absent,
  responseBody: absent,
  requestIsOpaque: false,
  responseIsOpaque: false,
  promptText: '',
  lastUserText: '',
  completionText: '',
  path: '',
  referrer: '',
  userAgent: '',
  clientVersion: '',
  targetUrl: '',
  usageRaw: null,
  properties: new Map(),
  inputs: new Map(),
  requestModel: '',
  modelOverride: '',
  responseModel: '',
  responseId: '',
  serviceTier: '',
  userId: '',
  promptId: '',
  failureType: '',
  failureMessage: '',
  ...emptyTextTags,
};

export interface TextSources {
  readonly request: ReadRequest;
  readonly response: ReadResponse;
  readonly properties: Map<string, string>;
  readonly failure: Failure | null;
}

/** The texts of an exchange that the caller allows to be stored. */
export function textsOf({ open, responseHead }: Exchange, { request, response, properties, failure }: TextSources): RecordTexts {
  const { tags } = open;
  const told = failure ?? { type: '', message: '' };
  const keepsRequest = (tags.requestBody ?? 'kept') === 'kept';
  const keepsResponse = (tags.responseBody ?? 'kept') === 'kept';
  return {
    requestBody: keepsRequest ? request.body : absent,
    responseBody: keepsResponse ? response.body : absent,
    requestIsOpaque: request.body.kind === 'binary' && isEncoded(open.headers['content-encoding']),
    responseIsOpaque: response.inPieces || (response.body.kind === 'binary' && isEncoded(responseHead?.headers['content-encoding'])),
    promptText: keepsRequest ? request.fields.promptText : '',
    lastUserText: keepsRequest ? request.fields.lastUserText : '',
    completionText: keepsResponse ? response.fields.completionText : '',
    path: open.path,
    referrer: orEmpty(open.headers['referer']),
    userAgent: orEmpty(open.headers['user-agent']),
    clientVersion: statedVersion(open.headers),
    targetUrl: open.targetUrl,
    usageRaw: response.fields.usage.raw,
    properties,
    inputs: new Map(Object.entries(tags.promptInputs ?? {})),
    requestModel: request.fields.model,
    modelOverride: orEmpty(tags.modelOverride),
    responseModel: response.fields.model,
    responseId: response.fields.responseId,
    serviceTier: response.fields.serviceTier,
    userId: firstNonEmpty([tags.userId, request.fields.user]),
    promptId: orEmpty(tags.promptId),
    failureType: told.type,
    failureMessage: keepsResponse ? told.message : '',
    ...mapTextTags((name) => orEmpty(tags[name])),
  };
}

/** Records have empty texts instead of absent ones. */
export function orEmpty(text: string | undefined): string {
  return text ?? '';
}

function isEncoded(contentEncoding: string | undefined): boolean {
  return !/^\s*(?:identity)?\s*$/i.test(contentEncoding ?? '');
}

export function firstNonEmpty(texts: readonly (string | undefined)[]): string {
  return texts.find((text) => text !== undefined && text !== '') ?? '';
}
