import type { RequestItem } from '../../src/client/client.ts';

type FailureKind = NonNullable<RequestItem['failure']>['kind'];

/** Why a call failed, where neither the provider nor Gatelog has a word for it. */
export const failureTitles: Readonly<Record<FailureKind, string>> = {
  status: 'Error status',
  reply: 'Error in the response',
  stream: 'Response broke off',
  no_reply: 'No response',
  refused: 'Refused by Gatelog',
};

/** Of a call with the status 499, which is no failure. */
export const canceledTitle = 'Canceled by the client';
