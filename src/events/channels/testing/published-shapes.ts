/**
 * What the services publish of the shapes that they take, as JSON schemas; of elements that have many forms only those that we send, and of
 * these nothing is allowed besides what is published.
 */

const text = (maxLength: number): object => ({ type: 'string', minLength: 1, maxLength });

/** https://developer.pagerduty.com/docs/send-alert-event, and `reference/events-v2/openapiv3.json` of PagerDuty/api-schema. */
export const pagerDutyEventShape = {
  type: 'object',
  additionalProperties: false,
  required: ['routing_key', 'event_action'],
  properties: {
    routing_key: { type: 'string', minLength: 32, maxLength: 32 },
    event_action: { enum: ['trigger', 'acknowledge', 'resolve'] },
    dedup_key: text(255),
    client: { type: 'string' },
    client_url: { type: 'string', format: 'uri' },
    links: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['href'],
        properties: { href: { type: 'string', format: 'uri' }, text: { type: 'string' } },
      },
    },
    payload: {
      type: 'object',
      additionalProperties: false,
      required: ['summary', 'severity', 'source'],
      properties: {
        summary: text(1024),
        timestamp: { type: 'string', format: 'date-time' },
        severity: { enum: ['critical', 'warning', 'error', 'info'] },
        source: text(1024),
        component: { type: 'string' },
        group: { type: 'string' },
        class: { type: 'string' },
        custom_details: { type: 'object' },
      },
    },
  },
  anyOf: [
    { properties: { event_action: { const: 'trigger' } }, required: ['payload'] },
    { properties: { event_action: { enum: ['acknowledge', 'resolve'] } }, required: ['dedup_key'] },
  ],
} as const;

/** PagerDuty answers 413 for more. */
export const pagerDutyMaxBytes = 512 * 1024;

/** https://docs.slack.dev/reference/block-kit/blocks and …/messaging/sending-messages-using-incoming-webhooks. Discord takes 2,000 characters. */
export const slackMessageShape = {
  type: 'object',
  additionalProperties: false,
  required: ['text'],
  properties: {
    text: text(2000),
    blocks: {
      type: 'array',
      minItems: 1,
      maxItems: 50,
      items: {
        oneOf: [
          {
            type: 'object',
            additionalProperties: false,
            required: ['type', 'text'],
            properties: {
              type: { const: 'header' },
              block_id: text(255),
              text: {
                type: 'object',
                additionalProperties: false,
                required: ['type', 'text'],
                properties: { type: { const: 'plain_text' }, text: text(150), emoji: { type: 'boolean' } },
              },
            },
          },
          {
            type: 'object',
            additionalProperties: false,
            required: ['type', 'text'],
            properties: {
              type: { const: 'section' },
              block_id: text(255),
              text: {
                type: 'object',
                additionalProperties: false,
                required: ['type', 'text'],
                properties: { type: { enum: ['mrkdwn'] }, text: text(3000), verbatim: { type: 'boolean' } },
              },
            },
          },
        ],
      },
    },
  },
} as const;

/** Adaptive Cards 1.4 (adaptivecards.io/schemas/1.4.0/adaptive-card.json) in a message of Teams, as its workflows take it. */
export const teamsMessageShape = {
  type: 'object',
  additionalProperties: false,
  required: ['type', 'attachments'],
  properties: {
    type: { const: 'message' },
    attachments: {
      type: 'array',
      minItems: 1,
      maxItems: 1,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['contentType', 'content'],
        properties: {
          contentType: { const: 'application/vnd.microsoft.card.adaptive' },
          contentUrl: { type: 'null' },
          content: {
            type: 'object',
            additionalProperties: false,
            required: ['type', 'version', 'body'],
            properties: {
              $schema: { const: 'http://adaptivecards.io/schemas/adaptive-card.json' },
              type: { const: 'AdaptiveCard' },
              version: { const: '1.4' },
              body: {
                type: 'array',
                items: {
                  type: 'object',
                  additionalProperties: false,
                  required: ['type', 'inlines'],
                  properties: {
                    type: { const: 'RichTextBlock' },
                    inlines: {
                      type: 'array',
                      items: {
                        type: 'object',
                        additionalProperties: false,
                        required: ['type', 'text'],
                        properties: {
                          type: { const: 'TextRun' },
                          text: { type: 'string' },
                          weight: { enum: ['Default', 'Lighter', 'Bolder'] },
                          size: { enum: ['Default', 'Small', 'Medium', 'Large', 'ExtraLarge'] },
                        },
                      },
                    },
                  },
                },
              },
              actions: {
                type: 'array',
                maxItems: 6,
                items: {
                  type: 'object',
                  additionalProperties: false,
                  required: ['type', 'url'],
                  properties: {
                    type: { const: 'Action.OpenUrl' },
                    title: { type: 'string' },
                    url: { type: 'string', format: 'uri-reference' },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
} as const;

/** Teams refuses larger messages. */
export const teamsMaxBytes = 28 * 1024;
