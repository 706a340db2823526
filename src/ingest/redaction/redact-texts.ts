import type { RecordedBody } from '../../model/record/request-record.ts';
import { mapTextTags, type TextTagName } from '../../model/record/text-tags.ts';
import { writeExactly } from '../../model/json/exact-numbers.ts';
import { parseExactly } from '../../model/text.ts';
import { propertyLimits } from '../../model/vocabulary/limits.ts';
import { sessionProperties } from '../../model/vocabulary/session-properties.ts';
import { freeName, redactJson, redactText } from '../../redaction/redact-json.ts';
import type { Redactor, Redactors } from '../../redaction/redactor.ts';
import type { RecordTexts } from '../interpret/record-texts.ts';

export const redactedPlaceholder = '[left out: the redaction rules could not be applied]';

type Texts<Names extends keyof RecordTexts> = Pick<RecordTexts, Names>;

/** The operations on the texts of a record. */
interface Treatment {
  readonly body: (body: RecordedBody, redactor: Redactor, isOpaque: boolean) => RecordedBody;
  readonly text: (text: string, redactor: Redactor) => string;
  readonly json: (value: unknown, redactor: Redactor) => unknown;
  /** Values by names that callers chose. */
  readonly named: (values: ReadonlyMap<string, string>, redactors: NameRedactors) => Map<string, string>;
}

/** Redactors for names and values; the session's properties have another one, or none. */
interface NameRedactors {
  readonly ofProperties: Redactor | undefined;
  readonly ofSession: Redactor | undefined;
}

/** Redacts matches. @throws what a rule throws, and RangeError for JSON beyond the parser's limits. */
export function redactTexts(texts: RecordTexts, redactors: Redactors): RecordTexts {
  return treat(texts, redactors, { body: redactBody, text: redactText, json: redactJson, named: redactNamed });
}

/** Empties all texts that the rules concern, because any of them might match. */
export function redactEverything(texts: RecordTexts, redactors: Redactors): RecordTexts {
  return treat(texts, redactors, {
    body: (body) => (body.kind === 'absent' ? body : { kind: 'text', text: redactedPlaceholder }),
    text: () => '',
    json: () => null,
    named: dropNamed,
  });
}

function treat(texts: RecordTexts, redactors: Redactors, treatment: Treatment): RecordTexts {
  const { request, response, properties, identifiers } = redactors;
  return {
    ...texts,
    ...(request === undefined ? undefined : requestPart(texts, request, treatment)),
    ...(response === undefined ? undefined : responsePart(texts, response, treatment)),
    properties: treatment.named(texts.properties, { ofProperties: properties, ofSession: identifiers }),
    inputs: treatment.named(texts.inputs, { ofProperties: properties, ofSession: properties }),
    ...(identifiers === undefined ? undefined : identifiersPart(texts, identifiers, treatment)),
  };
}

type RequestNames =
  | 'requestBody'
  | 'promptText'
  | 'lastUserText'
  | 'path'
  | 'referrer'
  | 'userAgent'
  | 'clientVersion'
  | 'targetUrl'
  | 'requestModel'
  | 'modelOverride';

function requestPart(texts: RecordTexts, redactor: Redactor, { body, text }: Treatment): Texts<RequestNames> {
  return {
    requestBody: body(texts.requestBody, redactor, texts.requestIsOpaque),
    promptText: text(texts.promptText, redactor),
    lastUserText: text(texts.lastUserText, redactor),
    path: text(texts.path, redactor),
    referrer: text(texts.referrer, redactor),
    userAgent: text(texts.userAgent, redactor),
    clientVersion: text(texts.clientVersion, redactor),
    targetUrl: text(texts.targetUrl, redactor),
    requestModel: text(texts.requestModel, redactor),
    modelOverride: text(texts.modelOverride, redactor),
  };
}

type ResponseNames =
  | 'responseBody'
  | 'completionText'
  | 'usageRaw'
  | 'responseModel'
  | 'responseId'
  | 'serviceTier'
  | 'failureType'
  | 'failureMessage';

function responsePart(texts: RecordTexts, redactor: Redactor, { body, text, json }: Treatment): Texts<ResponseNames> {
  return {
    responseBody: body(texts.responseBody, redactor, texts.responseIsOpaque),
    completionText: text(texts.completionText, redactor),
    usageRaw: json(texts.usageRaw, redactor),
    responseModel: text(texts.responseModel, redactor),
    responseId: text(texts.responseId, redactor),
    serviceTier: text(texts.serviceTier, redactor),
    failureType: text(texts.failureType, redactor),
    failureMessage: text(texts.failureMessage, redactor),
  };
}

type IdentifierNames = 'userId' | 'promptId' | TextTagName;

function identifiersPart(texts: RecordTexts, redactor: Redactor, { text }: Treatment): Texts<IdentifierNames> {
  return {
    userId: text(texts.userId, redactor),
    promptId: text(texts.promptId, redactor),
    ...mapTextTags((name) => text(texts[name], redactor)),
  };
}

/** Leaves space for the number that makes a name unique. */
const maxRedactedName = propertyLimits.nameCharacters - 8;
const sessionNames: ReadonlySet<string> = new Set(Object.values(sessionProperties));

/** The session's properties have our names and count as identifiers; all others count as properties. */
function redactNamed(values: ReadonlyMap<string, string>, { ofProperties, ofSession }: NameRedactors): Map<string, string> {
  const redacted = new Map<string, string>();
  const taken = new Map<string, number>();
  for (const [name, value] of values) {
    const isSession = sessionNames.has(name);
    const redactor = isSession ? ofSession : ofProperties;
    const redactedName = isSession || redactor === undefined ? name : freeName(truncateName(name, redactText(name, redactor)), taken);
    redacted.set(redactedName, redactor === undefined ? value : redactText(value, redactor));
  }
  return redacted;
}

/** Names may contain anything, so they are dropped with their values. */
function dropNamed(values: ReadonlyMap<string, string>, { ofProperties, ofSession }: NameRedactors): Map<string, string> {
  const remaining = [...values].filter(([name]) => sessionNames.has(name) || ofProperties === undefined);
  return new Map(remaining.map(([name, value]) => [name, sessionNames.has(name) && ofSession !== undefined ? '' : value]));
}

/** A replacement may be longer than the match, and names have a max length. */
function truncateName(before: string, after: string): string {
  return after === before ? after : Array.from(after).slice(0, maxRedactedName).join('');
}

function redactBody(body: RecordedBody, redactor: Redactor, isOpaque: boolean): RecordedBody {
  if (isOpaque && body.kind !== 'absent') return { kind: 'text', text: redactedPlaceholder };
  switch (body.kind) {
    case 'absent':
      return body;
    case 'text':
      return { kind: 'text', text: hasMatchBetweenNuls(body.text, redactor) ? redactedPlaceholder : redactText(body.text, redactor) };
    case 'json':
      return redactJsonBody(body, redactor);
    case 'binary':
      return redactBinary(body, redactor);
  }
}

function redactJsonBody(body: RecordedBody & { readonly kind: 'json' | 'text' }, redactor: Redactor): RecordedBody {
  const value = parseExactly(body.text, 'digits');
  // JSON beyond the parser's limits goes to `redactText`, which throws: its escapes could hide a match.
  if (value === undefined) return { kind: 'text', text: redactText(body.text, redactor) };
  const redacted = redactJson(value, redactor);
  return redacted === value ? body : { kind: 'json', text: writeExactly(redacted) };
}

/** Bytes cannot be changed without knowing their format: a match leaves out the whole body. */
function redactBinary(body: RecordedBody & { readonly kind: 'binary' }, redactor: Redactor): RecordedBody {
  const bytes = Buffer.from(body.base64, 'base64');
  // A form's texts are UTF-8, whatever its files are.
  const hasMatch = (text: string): boolean => redactor.text(text) !== text;
  const latin1 = bytes.toString('latin1');
  return hasMatch(latin1) || hasMatch(bytes.toString('utf8')) || hasMatchBetweenNuls(latin1, redactor)
    ? { kind: 'text', text: redactedPlaceholder }
    : body;
}

/** Whether a match is in text of wide characters among bytes. */
function hasMatchBetweenNuls(text: string, redactor: Redactor): boolean {
  if (!text.includes('\u0000')) return false;
  const joined = text.replaceAll('\u0000', '');
  return redactor.text(joined) !== joined;
}
