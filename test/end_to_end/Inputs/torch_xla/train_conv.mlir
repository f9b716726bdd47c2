module @SyncTensorsGraph.215 attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32, mhlo.use_auto_spmd_partitioning = false} {
  func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{replicated}"}, %arg1: tensor<8xf32> {mhlo.sharding = "{replicated}"}, %arg2: tensor<8xf32> {mhlo.sharding = "{replicated}"}, %arg3: tensor<8xf32> {mhlo.sharding = "{replicated}"}, %arg4: tensor<8x3x3x3xf32> {mhlo.sharding = "{replicated}"}, %arg5: tensor<6x3x6x6xf32> {mhlo.sharding = "{devices=[2,1,4,1]0,1,2,3,4,5,6,7}"}, %arg6: tensor<i64> {mhlo.sharding = "{replicated}"}, %arg7: tensor<6xi64> {mhlo.sharding = "{devices=[2,4]0,1,2,3,4,5,6,7 last_tile_dim_replicate}"}, %arg8: tensor<5xf32> {mhlo.sharding = "{replicated}"}, %arg9: tensor<5x288xf32> {mhlo.sharding = "{replicated}"}, %arg10: tensor<f32> {mhlo.sharding = "{replicated}"}) -> (tensor<8xf32>, tensor<8xf32>, tensor<i64>, tensor<f32>, tensor<288x5xf32>, tensor<1x5xf32>, tensor<5xf32>, tensor<5x288xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x3x3x3xf32>, tensor<8x3x3x3xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<5x288xf32>, tensor<5x288xf32>, tensor<5xf32>, tensor<5xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %cst = stablehlo.constant dense<0.899999976> : tensor<8xf32>
    %cst_0 = stablehlo.constant dense<1.000000e-01> : tensor<8xf32>
    %c_1 = stablehlo.constant dense<-100> : tensor<6xi64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<6x5xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<6x5xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<6x8x6x6xf32>
    %cst_5 = stablehlo.constant dense<9.99999974E-6> : tensor<8xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<8xf32>
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.convolution(%arg5, %arg4) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<6x3x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<6x8x6x6xf32>
    %output, %batch_mean, %batch_var = "stablehlo.batch_norm_training"(%0, %arg3, %arg2) <{epsilon = 9.99999974E-6 : f32, feature_index = 1 : i64}> : (tensor<6x8x6x6xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<6x8x6x6xf32>, tensor<8xf32>, tensor<8xf32>)
    %1 = stablehlo.add %batch_var, %cst_5 : tensor<8xf32>
    %2 = stablehlo.rsqrt %1 : tensor<8xf32>
    %3 = stablehlo.divide %cst_6, %2 : tensor<8xf32>
    %4 = stablehlo.multiply %3, %3 : tensor<8xf32>
    %5 = stablehlo.subtract %4, %cst_5 : tensor<8xf32>
    %6 = stablehlo.maximum %output, %cst_4 : tensor<6x8x6x6xf32>
    %7 = stablehlo.compare GT, %6, %cst_4 : (tensor<6x8x6x6xf32>, tensor<6x8x6x6xf32>) -> tensor<6x8x6x6xi1>
    %8 = stablehlo.broadcast_in_dim %arg7, dims = [0] : (tensor<6xi64>) -> tensor<6x5xi64>
    %9 = stablehlo.iota dim = 0 : tensor<5xi64>
    %10 = stablehlo.broadcast_in_dim %9, dims = [1] : (tensor<5xi64>) -> tensor<6x5xi64>
    %11 = stablehlo.compare EQ, %8, %10 : (tensor<6x5xi64>, tensor<6x5xi64>) -> tensor<6x5xi1>
    %12 = stablehlo.select %11, %cst_3, %cst_2 : tensor<6x5xi1>, tensor<6x5xf32>
    %13 = stablehlo.negate %12 : tensor<6x5xf32>
    %14 = stablehlo.compare NE, %arg7, %c_1 : (tensor<6xi64>, tensor<6xi64>) -> tensor<6xi1>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0] : (tensor<6xi1>) -> tensor<6x5xi1>
    %16 = stablehlo.select %15, %cst_3, %cst_2 : tensor<6x5xi1>, tensor<6x5xf32>
    %17 = stablehlo.multiply %16, %12 : tensor<6x5xf32>
    %18 = stablehlo.multiply %13, %17 : tensor<6x5xf32>
    %19 = stablehlo.reduce(%17 init: %cst_8) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x5xf32>, tensor<f32>) -> tensor<f32>
    %20 = stablehlo.compare NE, %19, %cst_8 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %21 = stablehlo.select %20, %19, %cst_9 : tensor<i1>, tensor<f32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [] : (tensor<f32>) -> tensor<6x5xf32>
    %23 = stablehlo.divide %18, %22 : tensor<6x5xf32>
    %24 = stablehlo.reshape %6 : (tensor<6x8x6x6xf32>) -> tensor<6x288xf32>
    %25 = stablehlo.transpose %arg9, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[288,5]{0,1}"} : (tensor<5x288xf32>) -> tensor<288x5xf32>
    %26 = stablehlo.dot_general %24, %25, contracting_dims = [1] x [0] : (tensor<6x288xf32>, tensor<288x5xf32>) -> tensor<6x5xf32>
    %27 = stablehlo.broadcast_in_dim %arg8, dims = [1] : (tensor<5xf32>) -> tensor<6x5xf32>
    %28 = stablehlo.add %26, %27 : tensor<6x5xf32>
    %29 = stablehlo.reduce(%28 init: %cst_7) applies stablehlo.maximum across dimensions = [1] : (tensor<6x5xf32>, tensor<f32>) -> tensor<6xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0] : (tensor<6xf32>) -> tensor<6x5xf32>
    %31 = stablehlo.subtract %28, %30 : tensor<6x5xf32>
    %32 = stablehlo.exponential %31 : tensor<6x5xf32>
    %33 = stablehlo.reduce(%32 init: %cst_8) applies stablehlo.add across dimensions = [1] : (tensor<6x5xf32>, tensor<f32>) -> tensor<6xf32>
    %34 = stablehlo.log %33 : tensor<6xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0] : (tensor<6xf32>) -> tensor<6x5xf32>
    %36 = stablehlo.subtract %31, %35 : tensor<6x5xf32>
    %37 = stablehlo.exponential %36 : tensor<6x5xf32>
    %38 = stablehlo.reduce(%23 init: %cst_8) applies stablehlo.add across dimensions = [1] : (tensor<6x5xf32>, tensor<f32>) -> tensor<6xf32>
    %39 = stablehlo.broadcast_in_dim %38, dims = [0] : (tensor<6xf32>) -> tensor<6x5xf32>
    %40 = stablehlo.multiply %37, %39 : tensor<6x5xf32>
    %41 = stablehlo.subtract %23, %40 : tensor<6x5xf32>
    %42 = stablehlo.dot_general %41, %arg9, contracting_dims = [1] x [0] : (tensor<6x5xf32>, tensor<5x288xf32>) -> tensor<6x288xf32>
    %43 = stablehlo.reshape %42 : (tensor<6x288xf32>) -> tensor<6x8x6x6xf32>
    %44 = stablehlo.select %7, %43, %cst_4 : tensor<6x8x6x6xi1>, tensor<6x8x6x6xf32>
    %grad_operand, %grad_scale, %grad_offset = "stablehlo.batch_norm_grad"(%0, %arg3, %batch_mean, %5, %44) <{epsilon = 9.99999974E-6 : f32, feature_index = 1 : i64}> : (tensor<6x8x6x6xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<6x8x6x6xf32>) -> (tensor<6x8x6x6xf32>, tensor<8xf32>, tensor<8xf32>)
    %45 = stablehlo.multiply %batch_mean, %cst_0 : tensor<8xf32>
    %46 = stablehlo.multiply %arg0, %cst : tensor<8xf32>
    %47 = stablehlo.add %45, %46 : tensor<8xf32>
    %48 = stablehlo.multiply %batch_var, %cst_0 : tensor<8xf32>
    %49 = stablehlo.multiply %arg1, %cst : tensor<8xf32>
    %50 = stablehlo.add %48, %49 : tensor<8xf32>
    %51 = stablehlo.add %arg6, %c : tensor<i64>
    %52 = stablehlo.compare NE, %12, %cst_3 : (tensor<6x5xf32>, tensor<6x5xf32>) -> tensor<6x5xi1>
    %53 = stablehlo.multiply %13, %36 : tensor<6x5xf32>
    %54 = stablehlo.select %52, %cst_2, %53 : tensor<6x5xi1>, tensor<6x5xf32>
    %55 = stablehlo.multiply %54, %17 : tensor<6x5xf32>
    %56 = stablehlo.reduce(%55 init: %cst_8) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x5xf32>, tensor<f32>) -> tensor<f32>
    %57 = stablehlo.divide %56, %19 : tensor<f32>
    %58 = stablehlo.transpose %24, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[288,6]{0,1}"} : (tensor<6x288xf32>) -> tensor<288x6xf32>
    %59 = stablehlo.dot_general %58, %41, contracting_dims = [1] x [0] : (tensor<288x6xf32>, tensor<6x5xf32>) -> tensor<288x5xf32>
    %60 = stablehlo.reduce(%41 init: %cst_8) applies stablehlo.add across dimensions = [0] : (tensor<6x5xf32>, tensor<f32>) -> tensor<5xf32>
    %61 = stablehlo.reshape %60 : (tensor<5xf32>) -> tensor<1x5xf32>
    %62 = stablehlo.transpose %59, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[5,288]{0,1}"} : (tensor<288x5xf32>) -> tensor<5x288xf32>
    %63 = stablehlo.convolution(%arg5, %grad_operand) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[0, 1, b, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<6x3x6x6xf32>, tensor<6x8x6x6xf32>) -> tensor<3x3x3x8xf32>
    %64 = stablehlo.transpose %63, dims = [3, 2, 0, 1] {result_layout = dense<[0, 1, 3, 2]> : tensor<4xindex>, xla_shape = "f32[8,3,3,3]{0,1,3,2}"} : (tensor<3x3x3x8xf32>) -> tensor<8x3x3x3xf32>
    %65 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<8x3x3x3xf32>
    %66 = stablehlo.multiply %64, %65 : tensor<8x3x3x3xf32>
    %67 = stablehlo.add %arg4, %66 : tensor<8x3x3x3xf32>
    %68 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %69 = stablehlo.multiply %grad_scale, %68 : tensor<8xf32>
    %70 = stablehlo.add %arg3, %69 : tensor<8xf32>
    %71 = stablehlo.multiply %grad_offset, %68 : tensor<8xf32>
    %72 = stablehlo.add %arg2, %71 : tensor<8xf32>
    %73 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<5x288xf32>
    %74 = stablehlo.multiply %62, %73 : tensor<5x288xf32>
    %75 = stablehlo.add %arg9, %74 : tensor<5x288xf32>
    %76 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %77 = stablehlo.multiply %60, %76 : tensor<5xf32>
    %78 = stablehlo.add %arg8, %77 : tensor<5xf32>
    return %47, %50, %51, %57, %59, %61, %60, %62, %grad_scale, %grad_offset, %64, %64, %67, %grad_scale, %70, %grad_offset, %72, %62, %75, %60, %78 : tensor<8xf32>, tensor<8xf32>, tensor<i64>, tensor<f32>, tensor<288x5xf32>, tensor<1x5xf32>, tensor<5xf32>, tensor<5x288xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x3x3x3xf32>, tensor<8x3x3x3xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<5x288xf32>, tensor<5x288xf32>, tensor<5xf32>, tensor<5xf32>
  }
}
