import { z } from 'zod';
import {
  channelLimits,
  channelTypes,
  type ChannelType,
  chatServices,
  chatServiceWords,
  type ChatService,
  forChatServices,
  type ChannelInput,
  type NewChannel,
} from '../../model/events/channel.ts';
import { uuidShape } from '../../model/ids.ts';

const { channels: maxChannels, recipients: maxRecipients, addressCharacters, keyCharacters } = channelLimits;

const channelSentence =
  'A channel is an object such as {"type": "slack", "url": "https://hooks.slack.com/services/…"}, or {"id": "…"} for one that the rule has already.';
const listSentence = `\`channels\` takes a list of at most ${maxChannels} channels, such as [{"type": "email", "to": "ops@example.com"}].`;
const typeSentence = `\`type\` is one of ${channelTypes.join(', ')}.`;
const idSentence = '`id` is the identifier of a channel that the rule has already, as the API shows it.';
const webhookIdSentence = '`webhookId` is the identifier of one of your webhooks, a UUID as `GET /v1/webhooks` shows it.';
const webhookNameSentence = '`webhook` is the name of one of your webhooks, of 1 to 128 characters.';
const toSentence = `\`to\` takes a mail address such as ops@example.com, or a list of 1 to ${maxRecipients}, each without a name around it.`;
const keySentence = '`routingKey` is the integration key of an Events API v2 integration in PagerDuty: 32 letters and digits.';
const secretSentence = '`secret` takes 24 to 64 bytes in base64 behind whsec_; leave it out for a new one.';

/** One mail address as SMTP carries it: no name, no comment, no quotes, so that nothing in it can become another header or recipient. */
const mailAddress =
  /^[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}@(?=.{1,255}$)(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)*[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u;

const addressSchema = (name: string) => {
  const sentence = `\`${name}\` takes an address that starts with https://, of at most ${addressCharacters} characters.`;
  return z.string(sentence).min(1, sentence).max(addressCharacters, sentence);
};

// Not `regex`: the document of the API would show the pattern with its flags, which JSON Schema has not.
const recipientSchema = z
  .string(toSentence)
  .refine((text) => mailAddress.test(text), toSentence)
  .meta({ format: 'email' });

const fields = z.object(
  {
    id: z
      .string(idSentence)
      .refine((text) => uuidShape.test(text), idSentence)
      .optional()
      .meta({
        format: 'uuid',
        description: 'Keeps a channel of the rule as it is, with its secrets. Alone, or with the fields as they were shown.',
      }),
    type: z.enum(channelTypes, typeSentence).optional().meta({ description: 'Needed unless `id` is given.' }),
    webhookId: z
      .string(webhookIdSentence)
      .refine((text) => uuidShape.test(text), webhookIdSentence)
      .optional()
      .meta({ format: 'uuid', description: 'Of `webhook`: one of the webhooks of the organisation, in place of `destination`.' }),
    webhook: z
      .string(webhookNameSentence)
      .min(1, webhookNameSentence)
      .max(128, webhookNameSentence)
      .optional()
      .meta({ description: 'Of `webhook`: the name of one of the webhooks of the organisation, in place of `webhookId`.' }),
    destination: addressSchema('destination')
      .optional()
      .meta({ description: 'Of `webhook`: an address, in place of `webhookId`. It is shown without its path.' }),
    secret: z
      .string(secretSentence)
      .regex(/^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/, secretSentence)
      .optional()
      .meta({ description: 'Of a `destination`: signs what is sent, in the form of Standard Webhooks. A new one is shown once.' }),
    to: z
      .union([recipientSchema, z.array(recipientSchema, toSentence).min(1, toSentence).max(maxRecipients, toSentence)], toSentence)
      .optional()
      .meta({ description: 'Of `email`: one address or several.', example: 'ops@example.com' }),
    url: addressSchema('url')
      .optional()
      .meta({
        description: `${chatServices.map((service) => `Of \`${service}\`: ${chatServiceWords[service].address}. `).join('')}It is shown without its path.`,
      }),
    routingKey: z
      .string(keySentence)
      .min(1, keySentence)
      .max(keyCharacters, keySentence)
      .optional()
      .meta({ description: 'Of `pagerduty`: the integration key. It is shown by its last four characters.' }),
  },
  channelSentence,
);

type Fields = z.output<typeof fields>;

/** Fields besides `type` that a channel of each type may have. */
const fieldsOf: Readonly<Record<ChannelType, readonly (keyof Fields)[]>> = {
  webhook: ['webhookId', 'webhook', 'destination', 'secret'],
  email: ['to'],
  ...forChatServices(() => ['url'] as const),
  pagerduty: ['routingKey'],
};

const channelSchema = fields
  .transform((given, context): ChannelInput => {
    const channel = given.id === undefined ? newChannel(given) : keptChannel(given.id, given);
    if (!('message' in channel)) return channel;
    context.addIssue({ code: 'custom', path: channel.field === undefined ? [] : [channel.field], message: channel.message });
    return z.NEVER;
  })
  .meta({ id: 'Channel', description: 'Where messages of a rule are sent. Its fields depend on its `type`.' });

export const channelsSchema = z.array(channelSchema, listSentence).max(maxChannels, listSentence);

interface ChannelFault {
  readonly field: keyof Fields | undefined;
  readonly message: string;
}

function newChannel(given: Fields): NewChannel | ChannelFault {
  const { type } = given;
  if (type === undefined) return { field: 'type', message: typeSentence };
  const stray = (Object.keys(given) as (keyof Fields)[]).find((field) => field !== 'type' && !fieldsOf[type].includes(field));
  if (stray !== undefined) return { field: stray, message: `A channel of the type ${type} has no \`${stray}\`; it has ${namesOf(type)}.` };
  return readers[type](given);
}

const readers: Readonly<Record<ChannelType, (given: Fields) => NewChannel | ChannelFault>> = {
  webhook: webhookChannel,
  email: ({ to }) => (to === undefined ? { field: 'to', message: toSentence } : { type: 'email', to: typeof to === 'string' ? [to] : to }),
  ...forChatServices(
    (service) =>
      ({ url }: Fields) =>
        chatChannel(service, url),
  ),
  pagerduty: ({ routingKey = '' }) =>
    /^[A-Za-z0-9]{32}$/.test(routingKey) ? { type: 'pagerduty', routingKey } : { field: 'routingKey', message: keySentence },
};

function webhookChannel({ webhookId, webhook, destination, secret }: Fields): NewChannel | ChannelFault {
  const given = [webhookId, webhook, destination].filter((field) => field !== undefined).length;
  if (given !== 1 || (secret !== undefined && destination === undefined)) {
    return {
      field: 'destination',
      message:
        'A channel of the type webhook has one of three: the `webhookId` of a stored webhook, its name as `webhook`, or a `destination`, which alone takes a `secret`.',
    };
  }
  if (webhookId !== undefined) return { type: 'webhook', webhookId: webhookId.toLowerCase() };
  return webhook === undefined ? { type: 'webhook', destination: destination ?? '', secret } : { type: 'webhook', webhookName: webhook };
}

function chatChannel(type: ChatService, url: string | undefined): NewChannel | ChannelFault {
  return url === undefined ? { field: 'url', message: `A channel of the type ${type} has a \`url\`.` } : { type, url };
}

function keptChannel(id: string, { type, secret, to, webhook, ...given }: Fields): ChannelInput | ChannelFault {
  if (webhook !== undefined) return { field: 'webhook', message: 'A channel with an `id` is kept as it is; leave out `webhook`, or `id`.' };
  if (secret !== undefined) {
    return {
      field: 'secret',
      message: 'The secret of a channel stays as it is; leave out `id`, and add the channel again, for another one.',
    };
  }
  const { webhookId, destination, url, routingKey } = given;
  return { id: id.toLowerCase(), type, given: { webhookId, destination, to: typeof to === 'string' ? [to] : to, url, routingKey } };
}

function namesOf(type: ChannelType): string {
  return fieldsOf[type].map((field) => `\`${field}\``).join(' or ');
}

export const shownChannelSchema = z
  .object({
    id: z.string().meta({ format: 'uuid' }),
    type: z.enum(channelTypes),
    webhookId: z.string().optional().meta({ format: 'uuid' }),
    destination: z.string().optional().meta({ example: 'https://hooks.example.com/…' }),
    to: z.array(z.string()).optional(),
    url: z.string().optional().meta({ example: 'https://hooks.slack.com/…' }),
    routingKey: z.string().optional().meta({ example: '…1a2b' }),
    secret: z.string().optional().meta({
      description: 'Only in the answer to the call that made the channel, where the service chose the secret of its `destination`.',
    }),
    readable: z.boolean().meta({
      description:
        'False: the secret of the deployment is another than the one that the channel was encrypted with, so it cannot be used. Add the channel again.',
    }),
  })
  .meta({ id: 'ShownChannel', description: 'What is shown of a channel: its secrets never are.' });
