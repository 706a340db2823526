/** What an example is written with. */
export interface ExampleFacts {
  /** Address of the gateway, without a slash at its end. */
  readonly gateway: string;
  readonly key: string;
}

export type Language = 'curl' | 'python' | 'node';

/** A call with a tag, a user and a session, in a language. */
export interface Example {
  readonly id: Language;
  readonly title: string;
  readonly code: (facts: ExampleFacts) => string;
}

export const examples: readonly Example[] = [
  {
    id: 'curl',
    title: 'curl',
    code: ({ gateway, key }) =>
      `curl ${gateway}/v1/chat/completions \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -H "Svc-Property-Team: search" \\
  -H "Svc-User-Id: ann" \\
  -H "Svc-Session-Id: first-session" \\
  -d '{"model": "echo/demo", "messages": [{"role": "user", "content": "Hello"}]}'`,
  },
  {
    id: 'python',
    title: 'Python',
    code: ({ gateway, key }) =>
      `# pip install openai
from openai import OpenAI

client = OpenAI(base_url="${gateway}/v1", api_key="${key}")
reply = client.chat.completions.create(
    model="echo/demo",
    messages=[{"role": "user", "content": "Hello"}],
    extra_headers={"Svc-Properties": '{"Team": "search"}', "Svc-User-Id": "ann", "Svc-Session-Id": "first-session"},
)
print(reply.choices[0].message.content)`,
  },
  {
    id: 'node',
    title: 'Node',
    code: ({ gateway, key }) =>
      `// npm install openai
import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${gateway}/v1', apiKey: '${key}' });
const reply = await client.chat.completions.create(
  { model: 'echo/demo', messages: [{ role: 'user', content: 'Hello' }] },
  { headers: { 'Svc-Properties': '{"Team": "search"}', 'Svc-User-Id': 'ann', 'Svc-Session-Id': 'first-session' } },
);
console.log(reply.choices[0].message.content);`,
  },
];
