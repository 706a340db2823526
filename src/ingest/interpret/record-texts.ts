import type { Exchange } from '../../model/record/exchange.ts';
import type { RecordedBody } from '../../model/record/request-record.ts';
import { emptyTextTags, mapTextTags, type TextTags } from '../../model/record/text-tags.ts';
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
}

/** Redacts the texts of a record by its organisation's rules. Never throws. */
export type RedactTexts = (texts: RecordTexts) => RecordTexts;

const absent: RecordedBody = { kind: 'absent' };

/** A record without any text. */
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
  ...emptyTextTags,
};

/** The texts of an exchange that the caller allows to be stored. */
export function textsOf(
  { open, responseHead }: Exchange,
  request: ReadRequest,
  response: ReadResponse,
  properties: Map<string, string>,
): RecordTexts {
  const { tags } = open;
  const keepsRequest = (tags.requestBody ?? 'kept') === 'kept';
  const keepsResponse = (tags.responseBody ?? 'kept') === 'kept';
  return {
    requestBody: keepsRequest ? request.body : absent,
    responseBody: keepsResponse ? response.body : absent,
    requestIsOpaque: request.body.kind === 'binary' && isEncoded(open.headers['content-encoding']),
    responseIsOpaque: response.inPieces || (response.body.kind === 'binary' && isEncoded(responseHead?.headers['content-encoding'])),
    promptText: keepsRequest ? request.facts.promptText : '',
    lastUserText: keepsRequest ? request.facts.lastUserText : '',
    completionText: keepsResponse ? response.facts.completionText : '',
    path: open.path,
    referrer: orEmpty(open.headers['referer']),
    targetUrl: open.targetUrl,
    usageRaw: response.facts.usage.raw,
    properties,
    inputs: new Map(Object.entries(tags.promptInputs ?? {})),
    requestModel: request.facts.model,
    modelOverride: orEmpty(tags.modelOverride),
    responseModel: response.facts.model,
    responseId: response.facts.responseId,
    serviceTier: response.facts.serviceTier,
    userId: firstNonEmpty([tags.userId, request.facts.user]),
    promptId: orEmpty(tags.promptId),
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
