import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { basePath } from '../../lib/base-path.ts';
import { gatelog } from '../../lib/client.ts';
import { issuerQuery } from '../../lib/issuer.ts';
import { setSignedIn } from '../../lib/signed-in.ts';
import { Loading } from '../../ui/loading.tsx';
import { Notice } from '../../ui/notice.tsx';
import { forgetInvitation, keepInvitation } from './invitation.ts';
import styles from './sign-in-page.module.css';

export interface AccountSignInProps {
  readonly next: string;
  /** The issuer has sent the browser back. */
  readonly isBack: boolean;
}

/** The way to the issuer of accounts, where there is one, and back. */
export function AccountSignIn({ next, isBack }: AccountSignInProps): ReactNode {
  const [invitation] = useState(keepInvitation);
  const { data: issuer } = useQuery(issuerQuery);
  const { isBusy, problem } = useFinish(isBack, invitation);
  if (isBusy) return <Loading what="Signing in" />;
  return (
    <>
      {problem !== undefined && <Notice kind="danger">{problem}</Notice>}
      {invitation !== undefined && problem === undefined && <Notice>You are invited. Sign in with your account to join.</Notice>}
      {issuer !== undefined && issuer !== null && (
        <a className={styles['issuer']} href={`${basePath}/v1/sign-in?next=${encodeURIComponent(next)}`}>
          Sign in with {issuer.name}
        </a>
      )}
      {issuer === null && invitation !== undefined && (
        <Notice kind="danger">This service knows no accounts, so an invitation cannot be used. Ask for a key instead.</Notice>
      )}
    </>
  );
}

/** Takes the session, once. A failed invitation is not tried again. */
function useFinish(isBack: boolean, invitation: string | undefined): { readonly isBusy: boolean; readonly problem: string | undefined } {
  const router = useRouter();
  const queryClient = useQueryClient();
  const [problem, setProblem] = useState<string>();
  const begun = useRef(false);
  useEffect(() => {
    if (!isBack || begun.current) return;
    begun.current = true;
    const finish = async (): Promise<void> => {
      try {
        const { data } = await gatelog.signIn.finish(invitation === undefined ? {} : { invitation });
        setSignedIn(queryClient, data);
        router.history.replace(basePath + data.next);
      } catch (error) {
        setProblem(error instanceof Error ? error.message : String(error));
      } finally {
        forgetInvitation();
      }
    };
    void finish();
  }, [isBack, invitation, queryClient, router]);
  return { isBusy: isBack && problem === undefined, problem };
}
