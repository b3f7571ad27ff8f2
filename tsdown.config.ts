import { defineConfig, type UserConfig } from 'tsdown';

const config: UserConfig = defineConfig({
  entry: {
    index: 'src/index.ts',
    main: 'src/cli/main.ts',
    'toolkit/store-suite': 'src/toolkit/store-suite.ts',
  },
  format: 'esm',
  platform: 'node',
  target: 'node22.19',
  dts: true,
  clean: true,
  fixedExtension: false,
});

export default config;
