import { Fault } from '../errors/fault.ts';

/** How a provider wants to be told what an answer must look like. */
export const SELECTION_FORMS = ['json_schema', 'openai', 'anthropic'] as const;
export type SelectionForm = (typeof SELECTION_FORMS)[number];

const NAME = 'select_tool';

/**
 * A schema that lets a model answer with one of the offered ids and nothing else: given to a constrained-output API, it
 * keeps an id from being invented or misspelt. `validateSelection` checks what comes back.
 */
export function selectionSchema(
  offered: readonly string[],
  form: SelectionForm = 'json_schema',
): Readonly<Record<string, unknown>> {
  if (offered.length === 0)
    throw new Fault('INVALID_INPUT', 'There is nothing to select from: no tool was offered.');
  const schema = {
    type: 'object',
    properties: { selection: { type: 'string', enum: [...new Set(offered)] } },
    required: ['selection'],
    additionalProperties: false,
  };
  switch (form) {
    case 'json_schema':
      return schema;
    case 'openai':
      return { type: 'json_schema', json_schema: { name: NAME, strict: true, schema } };
    case 'anthropic':
      return { name: NAME, description: 'Select the one tool to call, by its id.', input_schema: schema };
  }
}
