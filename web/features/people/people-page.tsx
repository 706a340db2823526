import { type ReactNode, useState } from 'react';
import { isPersonsOwn, useMay, useSignedIn } from '../../lib/signed-in.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page, Section } from '../../ui/layout/page.tsx';
import { InvitePerson, Invitations } from './invitations.tsx';
import { Members } from './members.tsx';
import { PersonSessions } from './person-sessions.tsx';

/** Who signs in with accounts of the issuer: members, invitations, and browsers in which they have signed in. */
export function PeoplePage(): ReactNode {
  const mayChange = useMay('admin');
  const isPerson = isPersonsOwn(useSignedIn());
  const [isInviting, setIsInviting] = useState(false);
  return (
    <Page
      title="People"
      about="They sign in with their accounts"
      actions={mayChange && <Button onPress={() => setIsInviting(true)}>Invite a person</Button>}
    >
      {!mayChange && !isPerson && (
        <Empty title="Your key may not see the people">
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
