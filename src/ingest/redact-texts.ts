import type { RecordedBody } from '../model/request-record.ts';
import { parseJson } from '../model/text.ts';
import { sessionProperties } from '../model/vocabulary/session-properties.ts';
import { redactJson, redactText } from '../redaction/redact-json.ts';
import type { Redactor, Redactors } from '../redaction/redactor.ts';
import type { RecordTexts } from './record-texts.ts';

/** What stands in the place of a body that was left out. */
export const leftOut = '[left out: the redaction rules could not be applied]';

/** Everything that a place has of a record. */
type Texts<Names extends keyof RecordTexts> = Pick<RecordTexts, Names>;

/** What the rules of each place do with its part of a record. */
interface Treatment {
  readonly body: (body: RecordedBody, redactor: Redactor, isOpaque: boolean) => RecordedBody;
  readonly text: (text: string, redactor: Redactor) => string;
  readonly json: (value: unknown, redactor: Redactor) => unknown;
}

/** Takes out what the rules find. @throws what a rule throws, and a RangeError for JSON that nests too deeply. */
export function redactTexts(texts: RecordTexts, redactors: Redactors): RecordTexts {
  return treat(texts, redactors, { body: redactBody, text: redactText, json: redactJson });
}

/** Leaves out all that the rules would have looked at: nobody knows what of it may be stored. */
export function withholdTexts(texts: RecordTexts, redactors: Redactors): RecordTexts {
  return treat(texts, redactors, {
    body: (body) => (body.kind === 'absent' ? body : { kind: 'text', text: leftOut }),
    text: () => '',
    json: () => null,
  });
}

function treat(texts: RecordTexts, redactors: Redactors, treatment: Treatment): RecordTexts {
  const { request, response, properties, identifiers } = redactors;
  return {
    ...texts,
    ...(request === undefined ? undefined : requestPart(texts, request, treatment)),
    ...(response === undefined ? undefined : responsePart(texts, response, treatment)),
    properties: treatedProperties(texts.properties, redactors, treatment),
    ...(properties === undefined ? undefined : { inputs: mapValues(texts.inputs, (value) => treatment.text(value, properties)) }),
    ...(identifiers === undefined ? undefined : identifiersPart(texts, identifiers, treatment)),
  };
}

type RequestNames = 'requestBody' | 'promptText' | 'lastUserText' | 'path' | 'referrer' | 'targetUrl';

function requestPart(texts: RecordTexts, redactor: Redactor, { body, text }: Treatment): Texts<RequestNames> {
  return {
    requestBody: body(texts.requestBody, redactor, texts.requestIsOpaque),
    promptText: text(texts.promptText, redactor),
    lastUserText: text(texts.lastUserText, redactor),
    path: text(texts.path, redactor),
    referrer: text(texts.referrer, redactor),
    targetUrl: text(texts.targetUrl, redactor),
  };
}

function responsePart(
  texts: RecordTexts,
  redactor: Redactor,
  { body, text, json }: Treatment,
): Texts<'responseBody' | 'completionText' | 'usageRaw'> {
  return {
    responseBody: body(texts.responseBody, redactor, texts.responseIsOpaque),
    completionText: text(texts.completionText, redactor),
    usageRaw: json(texts.usageRaw, redactor),
  };
}

type IdentifierNames = 'userId' | 'nodeId' | 'jobId' | 'promptId' | 'promptVersion' | 'experimentId';

function identifiersPart(texts: RecordTexts, redactor: Redactor, { text }: Treatment): Texts<IdentifierNames> {
  return {
    userId: text(texts.userId, redactor),
    nodeId: text(texts.nodeId, redactor),
    jobId: text(texts.jobId, redactor),
    promptId: text(texts.promptId, redactor),
    promptVersion: text(texts.promptVersion, redactor),
    experimentId: text(texts.experimentId, redactor),
  };
}

const sessionNames: ReadonlySet<string> = new Set(Object.values(sessionProperties));

/** The session's properties are identifiers, all others are properties. */
function treatedProperties(
  values: ReadonlyMap<string, string>,
  { properties, identifiers }: Redactors,
  { text }: Treatment,
): Map<string, string> {
  return mapValues(values, (value, name) => {
    const redactor = sessionNames.has(name) ? identifiers : properties;
    return redactor === undefined ? value : text(value, redactor);
  });
}

function mapValues(values: ReadonlyMap<string, string>, change: (value: string, name: string) => string): Map<string, string> {
  return new Map([...values].map(([name, value]) => [name, change(value, name)]));
}

function redactBody(body: RecordedBody, redactor: Redactor, isOpaque: boolean): RecordedBody {
  if (isOpaque && body.kind !== 'absent') return { kind: 'text', text: leftOut };
  switch (body.kind) {
    case 'absent':
      return body;
    case 'text':
      return { kind: 'text', text: redactText(body.text, redactor) };
    case 'json':
      return redactJsonBody(body, redactor);
    case 'binary':
      return redactBinary(body, redactor);
  }
}

function redactJsonBody(body: RecordedBody & { readonly kind: 'json' | 'text' }, redactor: Redactor): RecordedBody {
  const value = parseJson(body.text);
  // What is more than is parsed is looked at as the text that it is, and left out if that may hide something.
  if (value === undefined) return { kind: 'text', text: redactText(body.text, redactor) };
  const redacted = redactJson(value, redactor);
  return redacted === value ? body : { kind: 'json', text: JSON.stringify(redacted) };
}

/** Bytes cannot be changed without knowing what they mean: where something is found in them the whole body is left out. */
function redactBinary(body: RecordedBody & { readonly kind: 'binary' }, redactor: Redactor): RecordedBody {
  const bytes = Buffer.from(body.base64, 'base64');
  // A form's texts are UTF-8, whatever its files are.
  const hides = (text: string): boolean => redactor.text(text) !== text;
  return hides(bytes.toString('latin1')) || hides(bytes.toString('utf8')) ? { kind: 'text', text: leftOut } : body;
}
