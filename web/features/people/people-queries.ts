import { queryOptions } from '@tanstack/react-query';
import { gatelog } from '../../lib/client.ts';

export const membersQuery = queryOptions({
  queryKey: ['people', 'members'],
  queryFn: async ({ signal }) => (await gatelog.people.list({ signal })).data,
});

export const invitationsQuery = queryOptions({
  queryKey: ['people', 'invitations'],
  queryFn: async ({ signal }) => (await gatelog.invitations.list({ signal })).data,
});

export const personSessionsQuery = queryOptions({
  queryKey: ['people', 'sessions'],
  queryFn: async ({ signal }) => (await gatelog.people.sessions({ signal })).data,
});
