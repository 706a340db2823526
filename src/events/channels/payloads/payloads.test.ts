import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import type { AlertMessage } from '../../../model/events/alert-message.ts';
import { messages } from '../testing/messages.ts';
import {
  pagerDutyEventShape,
  pagerDutyMaxBytes,
  slackMessageShape,
  teamsMaxBytes,
  teamsMessageShape,
} from '../testing/published-shapes.ts';
import { mailContent, noticeMail } from './mail.ts';
import { pagerDutyEvent, pagerDutyResolve } from './pagerduty.ts';
import { slackPayload } from './slack.ts';
import { teamsPayload } from './teams.ts';
import { alertData } from './webhook.ts';

const ajv = new Ajv2020({ allErrors: true, strict: false });
const addFormats = formats as unknown as (target: Ajv2020) => void;
addFormats(ajv);
const routingKey = 'e93facc04764012d7bfb002500d5d1a6';

function faultsOf(shape: object, payload: object): string {
  const check = ajv.compile(shape);
  return check(JSON.parse(JSON.stringify(payload))) ? '' : ajv.errorsText(check.errors);
}

const bytesOf = (payload: object): number => Buffer.byteLength(JSON.stringify(payload));

/** The texts of a card, a line per paragraph. */
function cardLines(message: AlertMessage): readonly string[] {
  const payload = teamsPayload(message) as { attachments: { content: { body: { inlines: { text: string }[] }[] } }[] };
  return payload.attachments.flatMap(({ content }) => content.body.map(({ inlines }) => inlines.map(({ text }) => text).join('')));
}

function slackTexts(message: AlertMessage): readonly string[] {
  const payload = slackPayload(message) as { text: string; blocks: { text: { text: string } }[] };
  return [payload.text, ...payload.blocks.map(({ text }) => text.text)];
}

describe.each(Object.entries(messages))('a message that is %s', (_name, message) => {
  it('has the shape that Slack publishes, within the limits of Slack and Discord', () => {
    expect(faultsOf(slackMessageShape, slackPayload(message))).toBe('');
  });

  it('has the shape that Teams publishes, within its size', () => {
    const payload = teamsPayload(message);
    expect(faultsOf(teamsMessageShape, payload)).toBe('');
    expect(bytesOf(payload)).toBeLessThanOrEqual(teamsMaxBytes);
  });

  it('has the shape that PagerDuty publishes, within its size', () => {
    for (const event of [pagerDutyEvent(message, routingKey), pagerDutyResolve(message, routingKey)]) {
      expect(faultsOf(pagerDutyEventShape, event)).toBe('');
      expect(bytesOf(event)).toBeLessThanOrEqual(pagerDutyMaxBytes);
    }
  });
});

it('the shapes refuse what the services refuse', () => {
  expect(faultsOf(slackMessageShape, { text: 'x'.repeat(2001) })).not.toBe('');
  expect(faultsOf(teamsMessageShape, { type: 'message', attachments: [] })).not.toBe('');
  expect(faultsOf(pagerDutyEventShape, { routing_key: routingKey, event_action: 'resolve' })).not.toBe('');
  expect(faultsOf(pagerDutyEventShape, { routing_key: routingKey, event_action: 'trigger' })).not.toBe('');
});

describe('a message says rule, condition, groups, window, begin, peak and link', () => {
  it('in a mail', () => {
    const { subject, text, html } = mailContent(messages.grouped);
    expect(subject).toBe('[Gatelog] Triggered: High spend');
    expect(text).toBe(
      [
        'Triggered: High spend',
        '',
        'Condition: p95 of latency ≥ 10 ms',
        'Window: 2026-11-26 09:05:00 UTC to 2026-11-26 10:05:00 UTC',
        'Since: 2026-11-26 10:04:00 UTC',
        'Peak: 12.5 ms',
        '',
        'user_id = alice, Team = core: 2,301 ms',
        'user_id = bob, Team = (none): no value',
        'and 41 more',
        '',
        messages.grouped.link,
        '',
      ].join('\n'),
    );
    expect(html).toContain('<tr><th align="left">Condition</th><td>p95 of latency ≥ 10 ms</td></tr>');
    expect(html).toContain('<li>and 41 more</li>');
  });

  it('in Teams', () => {
    expect(cardLines(messages.grouped)).toEqual([
      'Triggered: High spend',
      'Condition: p95 of latency ≥ 10 ms',
      'Window: 2026-11-26 09:05:00 UTC to 2026-11-26 10:05:00 UTC',
      'Since: 2026-11-26 10:04:00 UTC',
      'Peak: 12.5 ms',
      'user_id = alice, Team = core: 2,301 ms',
      'user_id = bob, Team = (none): no value',
      'and 41 more',
    ]);
  });

  it('in Slack, in the blocks and in the text that other services show', () => {
    const groups = '• `user_id = alice, Team = core`: `2,301 ms`\n• `user_id = bob, Team = (none)`: `no value`\nand 41 more';
    const [text = '', header, details, listed, link] = slackTexts(messages.grouped);
    expect([header, listed, link]).toEqual(['Triggered: High spend', groups, messages.grouped.link]);
    expect(details).toContain('*Condition:* `p95 of latency ≥ 10 ms`');
    expect(text).toBe(`*Triggered: High spend*\n${details ?? ''}\n${groups}\n${messages.grouped.link}`);
  });

  it('in PagerDuty', () => {
    expect(pagerDutyEvent(messages.plain, routingKey)).toMatchObject({
      payload: {
        summary: 'Triggered: High spend (sum of cost ≥ $10.00; Value: $12.50)',
        source: 'gatelog.example.com',
        custom_details: { condition: 'sum of cost ≥ $10.00', Peak: '$12.50', groups: ['Value: $12.50'] },
      },
      links: [{ href: messages.plain.link }],
    });
  });

  it('in the data of a webhook, with values as they are', () => {
    expect(alertData(messages.hostile)).toMatchObject({
      status: 'triggered',
      alert_name: messages.hostile.ruleName,
      groups: messages.hostile.groups,
      more_groups: 0,
      window: { from: '2026-11-26T09:05:00.000Z', to: '2026-11-26T10:05:00.000Z' },
      started_at: '2026-11-26T10:04:00.000Z',
    });
  });

  it.each([
    ['resolved', 'Resolved: High spend'],
    ['stillFiring', 'Still firing: High spend'],
    ['noData', 'No data: High spend'],
    ['error', 'Cannot be evaluated: High spend'],
    ['test', 'Test: High spend'],
  ] as const)('and what happened: %s', (name, title) => {
    expect(mailContent(messages[name]).subject).toBe(`[Gatelog] ${title}`);
  });
});

describe('texts of callers have no meaning of their own', () => {
  it('in Slack: no mention, link, emphasis or broken line', () => {
    const [text = '', header, ...sections] = slackTexts(messages.hostile);
    for (const markdown of [text, ...sections]) expect(markdown).not.toMatch(/<|@everyone|@channel|\r|\u202E/);
    for (const markdown of sections) expect(markdown.replaceAll(/`[^`\n]*`/g, '')).not.toMatch(/evil|bold/);
    // A header is plain text.
    expect(header).not.toMatch(/[\r\n\u202E]/);
  });

  it('in a mail: no markup, and no further line in its subject', () => {
    const { subject, html } = mailContent(messages.hostile);
    expect(subject).not.toMatch(/[\r\n\u202E]/);
    expect(html).not.toMatch(/<b |<!channel/);
    expect(html).toContain('&lt;b onload=&quot;x&quot;&gt;&amp;amp;');
  });

  it('in Teams: they stand in runs, which take no Markdown', () => {
    expect(cardLines(messages.hostile).join('\n')).toContain('*bold* `code` [pay here](https://evil.example)');
    expect(JSON.stringify(teamsPayload(messages.hostile))).not.toContain('"TextBlock"');
  });

  it('in the mail about a webhook', () => {
    const { text, html } = noticeMail(true, {
      webhook_id: 'id',
      name: messages.hostile.ruleName,
      destination: null,
      reason: '<b>\nx',
    });
    expect(html).not.toContain('<b');
    expect(text.split('\n').filter((line) => line.startsWith('Bcc'))).toEqual([]);
  });
});

describe('a message about many groups counts those that it does not name', () => {
  it.each([
    ['Slack`s text', (message: AlertMessage) => slackTexts(message)[0] ?? ''],
    ['Slack`s blocks', (message: AlertMessage) => slackTexts(message)[3] ?? ''],
    ['Teams', (message: AlertMessage) => cardLines(message).join('\n')],
    ['PagerDuty', (message: AlertMessage) => JSON.stringify(pagerDutyEvent(message, routingKey))],
    ['a mail', (message: AlertMessage) => mailContent(message).text],
  ])('%s', (_where, textOf) => {
    const text = textOf(messages.long);
    const named = new Set(text.match(/user_id = \d+/g) ?? []).size;
    expect(text).toContain(`and ${5000 - named} more`);
  });
});

const keyOf = (event: object): string => (event as { dedup_key: string }).dedup_key;

describe('PagerDuty', () => {
  it('opens and closes an incident by one key, and opens none again while it goes on', () => {
    const [first, again, last] = [messages.plain, messages.stillFiring, messages.resolved].map((message) =>
      pagerDutyEvent(message, routingKey),
    );
    expect([first, again, last].map((event) => (event as { event_action: string }).event_action)).toEqual([
      'trigger',
      'trigger',
      'resolve',
    ]);
    expect(new Set([first, again, last].map((event) => keyOf(event ?? {})))).toEqual(new Set([messages.plain.dedupKey]));
  });

  it('gets the same short key for a long one', () => {
    expect(keyOf(pagerDutyEvent(messages.long, routingKey))).toBe(keyOf(pagerDutyResolve(messages.long, routingKey)));
  });
});
