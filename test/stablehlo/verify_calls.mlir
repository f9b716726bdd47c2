// What the verifiers and parsers refuse.
// RUN: shardwright-opt %s --split-input-file --verify-diagnostics

func.func @composite(%a: tensor<4xf32>) {
  // expected-error @+1 {{'g' does not reference a valid function}}
  %0 = stablehlo.composite "a.b" %a {foo, composite_attributes = {k = 1 : i64}, decomposition = @g, version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @composite() {
  // expected-error @+1 {{'g' does not reference a valid function}}
  %0 = stablehlo.composite "a.b" {decomposition = @g} : () -> tensor<4xf32>
  return
}

// -----

func.func @composite(%a: tensor<4xf32>) {
  // expected-error @+1 {{'g' does not reference a valid function}}
  %0 = stablehlo.composite "a.b" %a ({ stablehlo.return %a : tensor<4xf32> }) {decomposition = @g} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @composite(%a: tensor<4xf32>) {
  // expected-error @+1 {{'g' does not reference a valid function}}
  %0 = stablehlo.composite "a.b" %a, %a ({ ^bb0(%z: tensor<f32>): stablehlo.return %a : tensor<4xf32> }, {stablehlo.return}) {decomposition = @g} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @custom_call(%x: tensor<4xindex>) {
  // expected-error @+1 {{'stablehlo.custom_call' op attribute 'backend_config' failed to satisfy constraint: string attribute or dictionary of named attribute values}}
  %0 = "stablehlo.custom_call"(%x) {call_target_name = "x", backend_config=3} : (tensor<4xindex>) -> tuple<index>
  return
}

// -----

func.func @custom_call(%x: tensor<4xindex>) {
  // expected-error @+1 {{'stablehlo.custom_call' op attribute 'api_version' failed to satisfy constraint: Custom call API version}}
  %0 = "stablehlo.custom_call"(%x) {call_target_name = "x", api_version=7 : i32} : (tensor<4xindex>) -> index
  return
}

// -----

func.func @composite(%a: tensor<4xf32>) {
  // expected-error @+1 {{name must be a valid namespaced op name, i.e. it must match the following regular expression: ^[a-zA-Z][a-zA-Z0-9_]*([.][a-zA-Z0-9_$]+)+$ e.g. "my_nam}}
  %0 = stablehlo.composite "a..b" %a {decomposition = @f} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @custom_call(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.custom_call' op Layout attributes should be specified for either both operands and results or none.}}
  %0 = stablehlo.custom_call @foo(%a) {operand_layouts = [dense<0> : tensor<1xindex>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @custom_call(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.custom_call' op Number of results must match the number of result layouts, 1 != 0}}
  %0 = stablehlo.custom_call @foo(%a) {operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = []} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @custom_call(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.custom_call' op incorrect layout dense<1> : tensor<1xindex> for type 'tensor<4xf32>', layout must be a permutation of [0, 1)}}
  %0 = stablehlo.custom_call @foo(%a) {operand_layouts = [dense<1> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @custom_call(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.custom_call' op incorrect layout dense<[0, 1]> : tensor<2xindex> for type 'tensor<4xf32>', layout must be a permutation of [0, 1)}}
  %0 = stablehlo.custom_call @foo(%a) {operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @custom_call(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.custom_call' op expects operandIndex in the output_operand_alias attribute to be in range [0, 1); got: 1.}}
  %0 = stablehlo.custom_call @foo(%a) {output_operand_aliases=[#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @custom_call(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.custom_call' op shapes mismatch in the output_operand_alias attribute: operand part has type 'tensor<4xf32>' and output part has type 'tens}}
  %0 = stablehlo.custom_call @foo(%a) {output_operand_aliases=[#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @custom_call(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.custom_call' op backend_config for api_version API_VERSION_TYPED_FFI must be a dictionary attribute.}}
  %0 = stablehlo.custom_call @foo(%a) {api_version = 4 : i32, backend_config = "a"} : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @custom_call(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.custom_call' op backend_config for api_version API_VERSION_ORIGINAL must be a string attribute.}}
  %0 = stablehlo.custom_call @foo(%a) {api_version = 1 : i32, backend_config = {}} : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @custom_call(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.custom_call' op CreateBuffer custom_call shouldn't have any inputs}}
  %0 = stablehlo.custom_call @CreateBuffer(%a) : (tensor<4xf32>) -> memref<5xf32>
  return
}

// -----

func.func @custom_call(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.custom_call' op Pin custom_call should have a memref output}}
  %0 = stablehlo.custom_call @Pin(%a) : (tensor<4xf32>) -> tensor<5xf32>
  return
}
