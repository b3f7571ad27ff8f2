import { z } from 'zod';

const TOOL = String.raw`[a-z*][a-z0-9_*-]{0,63}:.+|\*.*`;

/** How settings refer to tools. Which tools a key matches is known only when the upstreams have listed them. */
export const ToolKey: z.ZodString = z.string().regex(new RegExp(`^(?:${TOOL})$`), {
  error: 'not a tool id, "namespace:tool" or a pattern such as "namespace:*"',
});

export const RateLimitKey: z.ZodString = z
  .string()
  .regex(new RegExp(`^(?:tool_(?:browse|execute|view)|${TOOL})$`), {
    error: 'not tool_browse, tool_execute, tool_view, a tool id, "namespace:tool" or a pattern',
  });
