import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { FieldError, Form, Input, Label, TextField } from 'react-aria-components';
import { basePath } from '../../lib/base-path.ts';
import { gatelog } from '../../lib/client.ts';
import { setSignedIn } from '../../lib/signed-in.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { AccountSignIn } from './account-sign-in.tsx';
import styles from './sign-in-page.module.css';

const route = getRouteApi('/sign-in');

export function SignInPage(): ReactNode {
  const { next = '/', expired: isExpired = false, finish: isBack = false } = route.useSearch();
  const router = useRouter();
  const queryClient = useQueryClient();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);

  const signIn = async (apiKey: string): Promise<void> => {
    setIsBusy(true);
    setProblem(undefined);
    try {
      const { data } = await gatelog.browserSession.signIn(apiKey);
      setSignedIn(queryClient, data);
      router.history.push(basePath + next);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setIsBusy(false);
    }
  };
  const submit: ComponentProps<typeof Form>['onSubmit'] = (event) => {
    event.preventDefault();
    const key = new FormData(event.currentTarget).get('key');
    if (typeof key === 'string' && key.trim() !== '') void signIn(key.trim());
  };

  return (
    <main className={styles['page']}>
      <Form className={styles['form'] ?? ''} onSubmit={submit} validationErrors={problem === undefined ? {} : { key: problem }}>
        <h1>Gatelog</h1>
        {isExpired && <Notice>Your session has ended. Sign in again, and you are back where you were.</Notice>}
        <AccountSignIn next={next} isBack={isBack} />
        <p className="muted">Sign in with a key of your organisation. A key that only reads gives a page that only reads.</p>
        <TextField name="key" type="password" isRequired autoFocus className={styles['field'] ?? ''} autoComplete="off">
          <Label>Key</Label>
          <Input className={styles['input'] ?? ''} placeholder="sk-svc-…" spellCheck={false} />
          <FieldError className={styles['error'] ?? ''} />
        </TextField>
        <Button kind="primary" type="submit" isDisabled={isBusy}>
          {isBusy ? 'Signing in …' : 'Sign in'}
        </Button>
        <p className="muted">
          The first start prints a key. <code>gatelog keys create --org NAME</code> on the machine makes another.
        </p>
      </Form>
    </main>
  );
}
