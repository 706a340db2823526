import type { AlertMessage } from '../../../model/events/alert-message.ts';
import { fitting, groupLines, plainGroup, type Wording, wordingOf } from './wording.ts';

/** Teams refuses a message of more than 28 KB. */
const maxBytes = 28_000;

/**
 * A message with an Adaptive Card, for the workflow "Post to a channel when a webhook request is received". Invariant: all texts are runs,
 * which take no Markdown, so nothing in them can be a link or emphasis.
 */
export function teamsPayload(message: AlertMessage): object {
  const wording = wordingOf(message);
  return fitting(
    wording.groups.length,
    (shown) => cardMessage(wording, shown),
    (made) => Buffer.byteLength(JSON.stringify(made)) <= maxBytes,
  );
}

function cardMessage(wording: Wording, shown: number): object {
  const { title, condition, facts, link } = wording;
  const groups = groupLines(wording, plainGroup, shown);
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      paragraph([{ text: title, weight: 'Bolder', size: 'Large' }]),
      paragraph([{ text: 'Condition: ', weight: 'Bolder' }, { text: condition }]),
      ...facts.map(([name, text]) => paragraph([{ text: `${name}: `, weight: 'Bolder' }, { text }])),
      ...groups.map((line) => paragraph([{ text: line }])),
    ],
    actions: [{ type: 'Action.OpenUrl', title: 'Open', url: link }],
  };
  return { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card }] };
}

function paragraph(runs: readonly object[]): object {
  return { type: 'RichTextBlock', inlines: runs.map((run) => ({ type: 'TextRun', ...run })) };
}
