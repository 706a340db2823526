import type { RequestItem } from '../../../../src/client/client.ts';
import type { RawBody } from '../raw/raw-bodies.ts';

type Call = Pick<RequestItem, 'request_path' | 'properties' | 'request_user_id'>;

/** Where a body ends in the command, unless the body has such a line. */
const endWord = 'BODY';

/** The same call as a command of a shell, through the gateway and with the tags, by a key from the environment. */
export function curlOf({ request_path: path, properties, request_user_id: user }: Call, body: RawBody | undefined): string {
  const headers = [
    '"Authorization: Bearer $GATELOG_API_KEY"',
    ...(body === undefined ? [] : [quoted(`Content-Type: ${body.contentType}`)]),
    ...(user === '' || !isHeaderText(user) ? [] : [quoted(`Svc-User-Id: ${user}`)]),
    ...(Object.keys(properties).length === 0 ? [] : [quoted(`Svc-Properties: ${asciiJson(properties)}`)]),
  ];
  const command = ['curl', `"$GATELOG_GATEWAY_URL"${quoted(path ?? '/')}`, ...headers.map((header) => `-H ${header}`)];
  if (body === undefined) return command.join(' \\\n  ');
  const send = [...command, '--data-binary @-'].join(' \\\n  ');
  const text = body.text();
  const end = endWordFor(text);
  // A document of the shell may be longer than an argument, and nothing in it is expanded.
  if (body.kind === 'bytes') return `base64 -d <<'${end}' | ${send}\n${text}\n${end}`;
  return `${send} <<'${end}'\n${text}\n${end}`;
}

/** In single quotes nothing is expanded. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function isHeaderText(text: string): boolean {
  return /^[ -~]+$/.test(text);
}

/** Headers take no other characters. */
function asciiJson(value: object): string {
  return JSON.stringify(value).replaceAll(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function endWordFor(text: string): string {
  for (let number = 1; ; number += 1) {
    const word = number === 1 ? endWord : `${endWord}${number}`;
    if (!text.includes(`\n${word}`) && !text.startsWith(word)) return word;
  }
}
