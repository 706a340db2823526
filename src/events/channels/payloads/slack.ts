import type { AlertMessage } from '../../../model/events/alert-message.ts';
import { fitting, groupLines, type Wording, wordingOf } from './wording.ts';

/** Characters of a text in Discord, the strictest of the services that take this form, of Slack's sections, and of its headers. */
const limits = { text: 2000, section: 3000, header: 150 } as const;
/** Escaped characters of a part of a message, so that all parts fit and no markup is cut in two. */
const maxPart = 300;
const maxLink = 500;

/** The message of an incoming webhook: Slack shows its blocks; Mattermost and Discord, which know none, its text. */
export function slackPayload(message: AlertMessage): object {
  const wording = wordingOf(message);
  const count = wording.groups.length;
  const text = fitting(
    count,
    (shown) => textOf(wording, shown),
    (made) => made.length <= limits.text,
  );
  const groups = fitting(
    count,
    (shown) => groupText(wording, shown),
    (made) => made.length <= limits.section,
  );
  const section = (markdown: string): object => ({ type: 'section', text: { type: 'mrkdwn', text: markdown.slice(0, limits.section) } });
  return {
    text: text.slice(0, limits.text),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: cut(wording.title, limits.header), emoji: false } },
      section(detailText(wording)),
      ...(groups === '' ? [] : [section(groups)]),
      ...(linkText(wording) === '' ? [] : [section(linkText(wording))]),
    ],
  };
}

function textOf(wording: Wording, shown: number): string {
  return [`*${escaped(wording.title)}*`, detailText(wording), groupText(wording, shown), linkText(wording)]
    .filter((part) => part !== '')
    .join('\n');
}

function detailText({ condition, facts }: Wording): string {
  return [`*Condition:* ${code(condition)}`, ...facts.map(([name, text]) => `*${name}:* ${code(text)}`)].join('\n');
}

function groupText(wording: Wording, shown: number): string {
  return groupLines(
    wording,
    ({ name, value }) => (name === '' ? `*Value:* ${code(value)}` : `• ${code(name)}: ${code(value)}`),
    shown,
  ).join('\n');
}

/** Not as `<address|words>`, which Discord shows as it is. */
function linkText({ link }: Wording): string {
  return link.length > maxLink ? '' : link.replaceAll('&', '&amp;');
}

/** As code nothing is a link, a mention or emphasis; a backquote would end it. */
function code(text: string): string {
  return `\`${escaped(text).replaceAll('`', '\u02CB')}\``;
}

/** Slack's own escapes, cut at a character's end; and the words that call everybody, which Mattermost and Discord find in plain text, are broken. */
function escaped(text: string): string {
  let all = '';
  for (const character of text.replaceAll(/@(?=(?:all|channel|everyone|here)\b)/gi, '@\u200B')) {
    const next = entities[character] ?? character;
    if (all.length + next.length >= maxPart) return `${all}…`;
    all += next;
  }
  return all;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function cut(text: string, maxCharacters: number): string {
  const characters = Array.from(text);
  return characters.length <= maxCharacters ? text : `${characters.slice(0, maxCharacters - 1).join('')}…`;
}
