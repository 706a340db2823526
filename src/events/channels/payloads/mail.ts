import type { AlertMessage } from '../../../model/events/alert-message.ts';
import { groupLines, plainGroup, wordingOf } from './wording.ts';

export interface MailContent {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const maxSubject = 200;

export function mailContent(message: AlertMessage): MailContent {
  const wording = wordingOf(message);
  const { title, condition, facts, link } = wording;
  const named: readonly (readonly [string, string])[] = [['Condition', condition], ...facts];
  const groups = groupLines(wording, plainGroup);
  const rows = named.map(([name, text]) => `<tr><th align="left">${escaped(name)}</th><td>${escaped(text)}</td></tr>`);
  const items = groups.map((line) => `<li>${escaped(line)}</li>`);
  return {
    subject: Array.from(`[Gatelog] ${title}`).slice(0, maxSubject).join(''),
    text: `${[title, '', ...named.map(([name, text]) => `${name}: ${text}`), '', ...groups, '', link].join('\n')}\n`,
    html: [
      `<h2>${escaped(title)}</h2>`,
      `<table cellpadding="4">${rows.join('')}</table>`,
      `<ul>${items.join('')}</ul>`,
      `<p><a href="${escaped(link)}">${escaped(link)}</a></p>\n`,
    ].join('\n'),
  };
}

/** What a mail says of a webhook that fails. */
export interface WebhookNotice {
  readonly webhook_id: string;
  readonly name: string | null;
  readonly destination: string | null;
  readonly reason: string;
}

export function noticeMail(isDisabled: boolean, { webhook_id: id, name, destination, reason }: WebhookNotice): MailContent {
  const title = isDisabled ? 'A webhook is disabled' : 'An event could not be delivered';
  const lines = [
    `Webhook: ${name ?? id} (${id})`,
    `Destination: ${destination ?? 'unknown'}`,
    `Reason: ${reason}`,
    isDisabled
      ? 'It gets no events until it is enabled again.'
      : 'All attempts failed. "gatelog webhooks deliveries" lists what failed, and "gatelog webhooks recover" sends it again.',
  ].map((line) => line.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '));
  return {
    subject: `[Gatelog] ${title}`,
    text: `${[title, '', ...lines].join('\n')}\n`,
    html: `<h2>${title}</h2>\n${lines.map((line) => `<p>${escaped(line)}</p>`).join('\n')}\n`,
  };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;');
}
