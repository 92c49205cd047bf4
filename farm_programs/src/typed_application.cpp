#include <farm_programs/typed_application.hpp>

#include <utility>

namespace farm_programs {

using trek_kernel::Bytes;
using trek_kernel::Context;
using trek_kernel::Master;
using trek_kernel::Output;
using trek_kernel::TaskIdentity;
using trek_kernel::UserProcess;

// The master as data_generator sees it.
class TypedApplication::Checked final : public Master {
public:
    Checked(Master& master, TypedApplication& application) : master_(master), application_(application) {}
    void do_task(std::span<const std::byte> task, const Output& how) override {
        application_.check(application_.task_, task.size(), Function::DataGenerator, "do_task", api().node(),
                           {.task = next_task(), .subtask = 0});
        master_.do_task(task, how);
    }
    std::uint32_t next_task() const override { return master_.next_task(); }
    Bytes get_result(TaskIdentity* whose) override { return master_.get_result(whose); }
    std::uint32_t total_tasks() const override { return master_.total_tasks(); }
    trollius_os::Api& api() override { return master_.api(); }
    Context context(UserProcess process, TaskIdentity identity) override { return master_.context(process, identity); }

private:
    Master& master_;
    TypedApplication& application_;
};

TypedApplication::TypedApplication(std::unique_ptr<trek_kernel::Application> application, std::optional<MessageType> task,
                                   std::optional<MessageType> result, ProgramReport& report)
    : application_(std::move(application)), task_(std::move(task)), result_(std::move(result)), report_(report) {}

void TypedApplication::check(const std::optional<MessageType>& type, std::size_t bytes, Function function, const char* call,
                             vocabulary::NodeId node, TaskIdentity task) {
    if (!type || bytes == type->bytes) return;
    report_.diagnoses.add({.problem = Problem::WrongCall,
                           .node = node,
                           .function = function_name(function),
                           .task = number_of(task),
                           .what = std::string("calls ") + call + "() with " + std::to_string(bytes) + " bytes, and " +
                                   type->key + " '" + type->name + "' has " + std::to_string(type->bytes),
                           .advice = "send messages of that type, or remove the type from the specification"});
}

void TypedApplication::data_generator(Master& master) {
    Checked checked(master, *this);
    application_->data_generator(checked);
}

Bytes TypedApplication::compute(Context& context, std::span<const std::byte> task) {
    Bytes result = application_->compute(context, task);
    if (!context.output.omitted)
        check(result_, result.size(), Function::Compute, "return_result", context.api().node(), context.identity());
    return result;
}

std::vector<Bytes> TypedApplication::split(Context& context, std::span<const std::byte> task, std::size_t degree) {
    std::vector<Bytes> parts = application_->split(context, task, degree);
    for (const Bytes& part : parts)
        check(task_, part.size(), Function::Split, "sub_task", context.api().node(), context.identity());
    return parts;
}

Bytes TypedApplication::join(Context& context, const std::vector<Bytes>& results) {
    Bytes result = application_->join(context, results);
    if (!context.output.omitted)
        check(result_, result.size(), Function::Join, "return_result", context.api().node(), context.identity());
    return result;
}

}  // namespace farm_programs
