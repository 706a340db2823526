import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { basePath } from '../../lib/base-path.ts';
import { issuerQuery } from '../../lib/issuer.ts';
import { isPersonsOwn, useMay, useSignedIn } from '../../lib/signed-in.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page, Section } from '../../ui/layout/page.tsx';
import { Notice } from '../../ui/notice.tsx';
import { InvitePerson, Invitations } from './invitations.tsx';
import { Members } from './members.tsx';
import { PersonSessions } from './person-sessions.tsx';

/** Who signs in with accounts of the issuer: members, invitations, and browsers in which they have signed in. */
export function PeoplePage(): ReactNode {
  const mayChange = useMay('admin');
  const isPerson = isPersonsOwn(useSignedIn());
  const { data: issuer } = useQuery(issuerQuery);
  const [isInviting, setIsInviting] = useState(false);
  return (
    <Page
      title="People"
      about="They sign in with their accounts"
      actions={mayChange && issuer !== null && <Button onPress={() => setIsInviting(true)}>Invite a person</Button>}
    >
      {issuer === null && (
        <Notice>
          Everybody signs in with keys here. To let people sign in with their own accounts, set <code>GATELOG_OIDC_ISSUER</code>:{' '}
          <a href={`${basePath}/docs/operations/people`}>how to</a>.
        </Notice>
      )}
      {!mayChange && !isPerson && (
        <Empty title="You may not see the people">
          <p>Sign in with your account, or with a key that has the permission admin.</p>
        </Empty>
      )}
      {mayChange && (
        <>
          <Section title="Members">
            <Members />
          </Section>
          <Section title="Open invitations">
            <Invitations />
          </Section>
        </>
      )}
      {(mayChange || isPerson) && (
        <Section title={mayChange ? 'Browsers that are signed in' : 'Browsers in which you are signed in'}>
          <PersonSessions />
        </Section>
      )}
      {isInviting && <InvitePerson onClose={() => setIsInviting(false)} />}
    </Page>
  );
}
