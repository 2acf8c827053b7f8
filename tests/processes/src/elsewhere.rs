//! Another machine, as far as one machine can be two.

use tokio::runtime::{Builder, Runtime};

use thread_priority::{NormalThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy};

/// Threads that stand in for somebody's own machine: they get the CPU that nobody here wants, so that
/// what others lose by him they lose to the server.
pub struct Elsewhere(Option<Runtime>);

impl Elsewhere {
    #[expect(clippy::new_without_default, reason = "it starts threads")]
    pub fn new() -> Self {
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(2).enable_all().on_thread_start(behind_all_others);
        Self(Some(runtime.build().unwrap()))
    }

    /// Does it there. What is not waited for goes with this.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> T {
        self.0.as_ref().expect("until it is dropped").spawn(work).await.unwrap()
    }
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        // Within another runtime, where nothing may block.
        self.0.take().into_iter().for_each(Runtime::shutdown_background);
    }
}

/// Gives this thread what CPU is left over.
fn behind_all_others() {
    let idle = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
    let here = thread_priority::thread_native_id();
    thread_priority::set_thread_priority_and_policy(here, ThreadPriority::Min, idle).unwrap();
}
