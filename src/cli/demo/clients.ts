/** Programs that make the calls, as user agents name them. */
export interface DemoClient {
  readonly name: string;
  readonly version: string;
}

export const claudeCode: DemoClient = { name: 'claude-code', version: '2.1.332' };
export const codex: DemoClient = { name: 'codex', version: '0.156.1' };
export const aiSdk: DemoClient = { name: 'ai-sdk', version: '6.0.326' };
export const openAiNode: DemoClient = { name: 'openai-node', version: '7.59.0' };
export const googleGenAi: DemoClient = { name: 'google-genai', version: '3.3.0' };
